{{- /*
The template of a pod. Takes `root`, `component` (also the name of the image), `values` of the component, `port`,
`environment` (a list as text) and `usesUploads`.
*/ -}}
{{- define "popsvc.podTemplate" -}}
metadata:
  labels:
    {{- include "popsvc.labels" . | nindent 4 }}
  {{- with .values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "popsvc.serviceAccountName" .root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- toYaml .root.Values.podSecurityContext | nindent 4 }}
  # The time of preStop, and the 20 s in which a process ends after SIGTERM.
  terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
  containers:
    - name: {{ .component }}
      image: {{ printf "%s/%s:%s" .root.Values.image.repository .component (.values.imageTag | default .root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      securityContext:
        {{- toYaml .root.Values.securityContext | nindent 8 }}
      env:
        {{- .environment | nindent 8 }}
      ports:
        - name: http
          containerPort: {{ .port }}
          protocol: TCP
      # A process listens when PostgreSQL is migrated and the engines answered; migrations may take minutes.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # The checks of the engines have a timeout of 2 s.
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      {{- with int64 .values.preStopSeconds }}
      lifecycle:
        preStop:
          exec:
            command: [sleep, {{ . | quote }}]
      {{- end }}
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        {{- if .usesUploads }}
        - name: uploads
          mountPath: /data
        {{- end }}
        {{- if .root.Values.trust.configMap }}
        - name: trust
          mountPath: /etc/popsvc/trust
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: 64Mi
    {{- if .usesUploads }}
    - name: uploads
      persistentVolumeClaim:
        claimName: {{ include "popsvc.uploadsClaim" .root }}
    {{- end }}
    {{- with .root.Values.trust.configMap }}
    - name: trust
      configMap:
        name: {{ . }}
    {{- end }}
  {{- if .root.Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- $template := . }}
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $template.root.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "popsvc.selectorLabels" $template | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- with .values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
