{{- /* Names and pieces that several objects share. */ -}}

{{- define "kedge.labels" -}}
app.kubernetes.io/name: kedge
{{- end }}

{{- define "kedge.meta" -}}
name: kedge
namespace: {{ .Release.Namespace | quote }}
labels:
  {{- include "kedge.labels" . | nindent 2 }}
{{- end }}

{{- /* Objects of the whole cluster have a name that another installation does not have. */ -}}
{{- define "kedge.clusterName" -}}
{{- if eq .Release.Namespace "velero" }}kedge{{ else }}kedge-{{ .Release.Namespace }}{{ end }}
{{- end }}

{{- define "kedge.account" -}}
{{- if .Values.serviceAccount.create }}kedge{{ else }}{{ .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{- define "kedge.subjects" -}}
- kind: ServiceAccount
  name: {{ include "kedge.account" . | quote }}
  namespace: {{ .Release.Namespace | quote }}
{{- end }}

{{- /* A tag has no plus sign, which a version of somebody's own build has. */ -}}
{{- define "kedge.image" -}}
{{- with .Values.image -}}
{{- $tag := .tag | default (ternary "" ($.Chart.AppVersion | replace "+" "-") (ne .digest "")) -}}
{{ .repository }}{{ with $tag }}:{{ . }}{{ end }}{{ with .digest }}@{{ . }}{{ end }}
{{- end }}
{{- end }}

{{- /* Where the volume is, unless the location names a path. */ -}}
{{- define "kedge.folder" -}}
{{- $path := "" -}}
{{- if eq .Values.location.provider "kedge.dev/filesystem" }}{{ $path = get .Values.location.config "path" }}{{ end -}}
{{- $path | default "/objects" }}
{{- end }}

{{- /* A cluster refuses a location before it has the kind: true while that is so. */ -}}
{{- define "kedge.isTooEarly" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" -}}
{{- if not (.Capabilities.APIVersions.Has "velero.io/v1/BackupStorageLocation") }}true{{ end -}}
{{- end -}}
{{- end }}
