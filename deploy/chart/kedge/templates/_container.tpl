{{- /* The container of the server. */ -}}

{{- define "kedge.container" -}}
- name: kedge
  image: {{ include "kedge.image" . | quote }}
  {{- with .Values.image.pullPolicy }}
  imagePullPolicy: {{ . | quote }}
  {{- end }}
  args:
    {{- include "kedge.args" . | nindent 4 }}
  # Not an argument: whoever moves these manifests to another namespace moves it, too.
  env:
    - name: KEDGE_NAMESPACE
      valueFrom:
        fieldRef:
          fieldPath: metadata.namespace
    {{- with .Values.server.extraEnv }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  ports:
    - name: metrics
      containerPort: 8085
      protocol: TCP
    {{- if .Values.volume.claimName }}
    - name: downloads
      containerPort: 8086
      protocol: TCP
    {{- end }}
  livenessProbe:
    httpGet:
      path: /livez
      port: metrics
    timeoutSeconds: 5
  readinessProbe:
    httpGet:
      path: /readyz
      port: metrics
    timeoutSeconds: 5
  resources:
    {{- include "kedge.resources" . | nindent 4 }}
  securityContext:
    allowPrivilegeEscalation: false
    capabilities:
      drop:
        - ALL
    readOnlyRootFilesystem: true
  volumeMounts:
    - name: tmp
      mountPath: /tmp
    {{- if .Values.volume.claimName }}
    - name: objects
      mountPath: {{ include "kedge.folder" . | quote }}
    {{- end }}
{{- end }}

{{- define "kedge.args" -}}
- server
- --metrics-address=:8085
- --log-format=json
{{- /* The same image holds the pods of PreScaledCronJobs until their run. */}}
- {{ printf "--warmup-image=%s" (include "kedge.image" .) | quote }}
{{- with .Values.server }}
{{- if .scheduleSkipImmediately }}
- --schedule-skip-immediately
{{- end }}
{{- if .restoreOnly }}
- --restore-only
{{- end }}
{{- with .disableControllers }}
- {{ printf "--disable-controllers=%s" (join "," .) | quote }}
{{- end }}
{{- with .concurrentBackups }}
- --concurrent-backups={{ int . }}
{{- end }}
{{- with .garbageCollectionFrequency }}
- {{ printf "--garbage-collection-frequency=%s" . | quote }}
{{- end }}
{{- end }}
{{- if .Values.volume.claimName }}
- {{ printf "--objects-dir=%s" (include "kedge.folder" .) | quote }}
- --download-address=:8086
- {{ printf "--download-url=%s" (.Values.volume.downloadUrl | default "http://kedge.$(KEDGE_NAMESPACE).svc:8086") | quote }}
{{- end }}
{{- range .Values.server.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{- /* Amounts that are there; an empty part is left out. */ -}}
{{- define "kedge.resources" -}}
{{- $kept := dict }}
{{- range $part, $amounts := .Values.resources }}
{{- range $name, $amount := $amounts }}
{{- if and (not (kindIs "invalid" $amount)) (ne (toString $amount) "0") }}
{{- $_ := set $kept $part (set (get $kept $part | default dict) $name (toString $amount)) }}
{{- end }}
{{- end }}
{{- end }}
{{- toYaml $kept }}
{{- end }}
