{{- /* Values that do not go together; what one value may be is in values.schema.json. */ -}}

{{- define "kedge.checks" -}}
{{- include "kedge.checks.location" . -}}
{{- include "kedge.checks.folder" . -}}
{{- range $name, $labels := dict "podLabels" .Values.podLabels "serviceMonitor.labels" .Values.serviceMonitor.labels "prometheusRule.labels" .Values.prometheusRule.labels "dashboard.labels" .Values.dashboard.labels }}
{{- if hasKey $labels "app.kubernetes.io/name" }}
{{- fail (printf "%s: app.kubernetes.io/name is how our objects are found, so choose another label" $name) }}
{{- end }}
{{- end }}
{{- with .Values.serviceAccount }}
{{- if and .create .name }}
{{- fail (printf "serviceAccount.name %q is for an account that is there: set serviceAccount.create to false, or leave the name out" .name) }}
{{- else if and (not .create) (not .name) }}
{{- fail "serviceAccount.name is required where serviceAccount.create is false" }}
{{- else if and (not .create) .annotations }}
{{- fail "serviceAccount.annotations go with serviceAccount.create: an account that is there already is not changed" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "kedge.checks.location" -}}
{{- with .Values.location }}
{{- if and .provider (not .bucket) }}
{{- fail "location.bucket is required where location.provider is set" }}
{{- end }}
{{- range $name := list "bucket" "prefix" "config" "caCert" "existingSecret" }}
{{- if and (get $.Values.location $name) (not $.Values.location.provider) }}
{{- fail (printf "location.provider is required where location.%s is set" $name) }}
{{- end }}
{{- end }}
{{- if and .existingSecret $.Values.credentials }}
{{- fail "location.existingSecret and credentials exclude each other: one Secret is used" }}
{{- end }}
{{- end }}
{{- if and .Values.credentials (not .Values.location.provider) }}
{{- fail "location.provider is required where credentials are set" }}
{{- end }}
{{- end }}

{{- define "kedge.checks.folder" -}}
{{- if and .Values.volume.downloadUrl (not .Values.volume.claimName) }}
{{- fail "volume.downloadUrl goes with volume.claimName: other providers give out URLs of their own" }}
{{- end }}
{{- if eq .Values.location.provider "kedge.dev/filesystem" }}
{{- if not .Values.volume.claimName }}
{{- fail "location.provider kedge.dev/filesystem needs volume.claimName: a PersistentVolumeClaim, since a pod keeps nothing itself" }}
{{- end }}
{{- if or .Values.credentials .Values.location.existingSecret }}
{{- fail "location.provider kedge.dev/filesystem takes no credentials: leave credentials and location.existingSecret out" }}
{{- end }}
{{- $path := get .Values.location.config "path" | default "/elsewhere" }}
{{- if or (has ".." (splitList "/" $path)) (regexMatch "^/+((app|bin|etc|lib|lib64|opt|run|sbin|tmp|var)/*|(opt/kedge|usr|dev|proc|sys)(/.*)?|)$" $path) }}
{{- fail (printf "location.config.path %q is no folder for backups, or one that the pod needs itself: write it as /mnt/backups" $path) }}
{{- end }}
{{- end }}
{{- end }}
