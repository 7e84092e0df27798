{{- /* Names and labels. Most templates take a dict with `root`, the data of the chart, and `component`. */ -}}

{{- define "popsvc.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains "popsvc" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-popsvc" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "popsvc.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "popsvc.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "popsvc.uploadsClaim" -}}
{{- .Values.uploads.volume.existingClaim | default (printf "%s-uploads" (include "popsvc.fullname" .)) -}}
{{- end -}}

{{- /* Labels that select the pods of all components. */ -}}
{{- define "popsvc.releaseLabels" -}}
app.kubernetes.io/name: popsvc
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- /* Labels that select the pods of a component. */ -}}
{{- define "popsvc.selectorLabels" -}}
{{ include "popsvc.releaseLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- /* Labels of an object. */ -}}
{{- define "popsvc.labels" -}}
{{ include "popsvc.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}
