import type { CheckDeclaration } from './check-declaration.ts';

/** Checks of the API responses: errors, latency, downloads. */
export const apiChecks = {
  'internal-errors': {
    about: 'No request fails because of a defect of the service.',
    problems: {
      some: {
        severity: 'warning',
        advice: 'The log of the process has the error at level error, with the request id.',
        alert: {
          name: 'InternalErrors',
          group: 'general',
          expr: 'sum by (service, route) (increase(popsvc_http_refusals_total{code="INTERNAL"}[10m])) > 0',
          severity: 'warning',
          summary: '{{ $labels.service }} answered {{ $labels.route }} with 500',
        },
      },
    },
  },
  'unavailable-responses': {
    about: 'Less than one percent of the requests are answered with 503.',
    problems: {
      many: {
        severity: 'failed',
        advice: 'popsvc doctor shows the store that does not answer; if all answer, the service is overloaded.',
        alert: {
          name: 'AnsweringUnavailable',
          group: 'general',
          expr: `sum by (service) (rate(popsvc_http_refusals_total{code="UNAVAILABLE",route!="/readyz"}[5m]))
  / sum by (service) (rate(popsvc_http_requests_total[5m])) > 0.01
`,
          for: '5m',
          severity: 'critical',
          summary: '{{ $labels.service }} answers {{ $value | humanizePercentage }} of its requests with 503',
        },
      },
    },
  },
  'report-latency': {
    about: 'Report pages take less than five seconds (p95).',
    problems: {
      high: {
        severity: 'warning',
        advice:
          'Check the CPU of ClickHouse and its other queries; if its queries are fast, the event loop of query-api.',
        alert: {
          name: 'ReportsSlow',
          group: 'reporting',
          expr: `histogram_quantile(0.95, sum by (le, route) (rate(popsvc_http_request_seconds_bucket{
  service="query-api",method="GET",route=~"/api/v1/.*",route!~".*/download"}[10m]))) > 5
`,
          for: '10m',
          severity: 'warning',
          summary: '{{ $labels.route }} takes {{ $value | humanizeDuration }} (p95)',
        },
      },
    },
  },
  downloads: {
    about: 'The service ends no response before it is complete.',
    problems: {
      cut: {
        severity: 'warning',
        advice: 'The log of query-api shows why: ClickHouse restarted or lacked memory, or the reader was too slow.',
        alert: {
          name: 'DownloadsCut',
          group: 'reporting',
          expr: 'sum by (route) (increase(popsvc_http_answers_cut_total[15m])) > 0',
          severity: 'warning',
          summary: '{{ $labels.route }}: the service ended responses before they were complete',
        },
      },
    },
  },
} as const satisfies Record<string, CheckDeclaration>;
