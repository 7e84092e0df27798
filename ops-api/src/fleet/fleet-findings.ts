import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import type { DarkDevices, FleetProblems, Silence } from './find-fleet-problems.ts';

/** Maximum number of findings of a check. The last one says how many more there are. */
const maxFindings = 10;

const describeShare = ({ offline, devices }: DarkDevices): string =>
  `${offline} of ${devices} devices at open sites are offline`;

const toDevicesFinding = (dark: DarkDevices): Finding => {
  const { network, site } = dark;
  const found = describeShare(dark);
  return site === undefined
    ? reportProblem('devices', 'dark-network', {
        subject: `network ${network}`,
        found,
      })
    : reportProblem('devices', 'dark-site', {
        subject: `site ${site} of network ${network}`,
        found,
      });
};

const toFlowFinding = ({ network, vendor, sinceMs }: Silence): Finding =>
  vendor === undefined
    ? reportProblem('flow', 'network-silent', {
        subject: `network ${network}`,
        found: 'neither plays nor heartbeats were received',
        sinceMs,
      })
    : reportProblem('flow', 'vendor-silent', {
        subject: `vendor ${vendor} of network ${network}`,
        found: 'no play was received',
        sinceMs,
      });

const limit = (findings: readonly Finding[]): readonly Finding[] => {
  const further = findings.length - maxFindings;
  return findings
    .slice(0, maxFindings)
    .map((finding, index) =>
      further > 0 && index === maxFindings - 1
        ? { ...finding, found: `${finding.found}; ${further} more like this` }
        : finding,
    );
};

/** Reports the problems of devices, vendors and networks. */
export const reportFleet = ({ dark, silent }: FleetProblems): readonly Finding[] => [
  ...(dark.length === 0
    ? [reportOk('devices', { found: 'few devices are offline' })]
    : limit(dark.map(toDevicesFinding))),
  ...(silent.length === 0
    ? [reportOk('flow', { found: 'all vendors and networks send data' })]
    : limit(silent.map(toFlowFinding))),
];
