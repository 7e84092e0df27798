{{- /* Environment variables, as entries of a list. */ -}}

{{- /* Takes `variable` and `secret`, an entry of .Values.secrets. */ -}}
{{- define "popsvc.secretVariable" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret.name }}
      key: {{ .secret.key }}
{{- end -}}

{{- /* Takes `variable` and `value`, and renders nothing if the value is empty. */ -}}
{{- define "popsvc.optionalVariable" -}}
{{- if .value }}
- name: {{ .variable }}
  value: {{ .value | quote }}
{{- end }}
{{- end -}}

{{- define "popsvc.instanceVariable" -}}
- name: POPSVC_INSTANCE
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- end -}}

{{- /* Variables of every process. */ -}}
{{- define "popsvc.commonVariables" -}}
{{ include "popsvc.secretVariable" (dict "variable" "DATABASE_URL" "secret" .Values.secrets.databaseUrl) }}
- name: POSTGRES_REQUIRE_SYNC_STANDBY
  value: {{ .Values.postgresql.requireSyncStandby | quote }}
{{ include "popsvc.secretVariable" (dict "variable" "POPSVC_OPERATOR_TOKEN" "secret" .Values.secrets.operatorToken) }}
- name: LOG_LEVEL
  value: {{ .Values.logLevel }}
{{- if .Values.trust.configMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/popsvc/trust/{{ .Values.trust.key }}
{{- end }}
{{- with .Values.tracing }}
{{- include "popsvc.optionalVariable" (dict "variable" "OTEL_EXPORTER_OTLP_ENDPOINT" "value" .endpoint) }}
{{- include "popsvc.optionalVariable" (dict "variable" "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" "value" .tracesEndpoint) }}
{{- include "popsvc.optionalVariable" (dict "variable" "OTEL_RESOURCE_ATTRIBUTES" "value" .resourceAttributes) }}
{{- include "popsvc.optionalVariable" (dict "variable" "OTEL_TRACES_SAMPLER" "value" .sampler) }}
{{- include "popsvc.optionalVariable" (dict "variable" "OTEL_TRACES_SAMPLER_ARG" "value" .samplerArg) }}
{{- end }}
{{- if .Values.tracing.hasHeaders }}
{{ include "popsvc.secretVariable" (dict "variable" "OTEL_EXPORTER_OTLP_HEADERS" "secret" .Values.secrets.tracingHeaders) }}
{{- end }}
{{- end -}}

{{- /* Processes that sign tokens and requests to webhooks. */ -}}
{{- define "popsvc.encryptionKeyVariable" -}}
{{ include "popsvc.secretVariable" (dict "variable" "POPSVC_ENCRYPTION_KEY" "secret" .Values.secrets.encryptionKey) }}
{{- end -}}

{{- define "popsvc.eventstoreVariables" -}}
{{ include "popsvc.secretVariable" (dict "variable" "EVENTSTORE_URL" "secret" .Values.secrets.eventstoreUrl) }}
{{- end -}}

{{- /* Takes `root`, `user` and `secret`. */ -}}
{{- define "popsvc.clickhouseVariables" -}}
- name: CLICKHOUSE_URL
  value: {{ .root.Values.clickhouse.url | quote }}
{{- if .root.Values.clickhouse.cluster }}
- name: CLICKHOUSE_CLUSTER
  value: {{ .root.Values.clickhouse.cluster | quote }}
{{- end }}
- name: CLICKHOUSE_USER
  value: {{ .user | quote }}
{{ include "popsvc.secretVariable" (dict "variable" "CLICKHOUSE_PASSWORD" "secret" .secret) }}
{{- end -}}

{{- /* Where uploaded files are. */ -}}
{{- define "popsvc.objectVariables" -}}
{{- if eq .Values.uploads.store "s3" -}}
- name: S3_ENDPOINT
  value: {{ required "uploads.s3.endpoint is required if uploads.store is s3" .Values.uploads.s3.endpoint | quote }}
- name: S3_BUCKET
  value: {{ required "uploads.s3.bucket is required if uploads.store is s3" .Values.uploads.s3.bucket | quote }}
{{ include "popsvc.secretVariable" (dict "variable" "S3_ACCESS_KEY_ID" "secret" .Values.secrets.s3AccessKeyId) }}
{{ include "popsvc.secretVariable" (dict "variable" "S3_SECRET_ACCESS_KEY" "secret" .Values.secrets.s3SecretAccessKey) }}
{{- else -}}
- name: DATA_DIR
  value: /data
{{- end -}}
{{- end -}}
