{{/* Names, labels and the parts that several templates share. */}}

{{- define "eilbote.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "eilbote.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "eilbote.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "eilbote.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "eilbote.selectorLabels" -}}
app.kubernetes.io/name: {{ include "eilbote.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* All labels but the selecting ones. */}}
{{- define "eilbote.commonLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: eilbote
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "eilbote.labels" -}}
{{ include "eilbote.selectorLabels" . }}
{{ include "eilbote.commonLabels" . }}
{{- end -}}

{{/* Pods that are no servers (the migration, the test) must not be found by the services. */}}
{{- define "eilbote.taskLabels" -}}
app.kubernetes.io/name: {{ include "eilbote.name" .root }}-{{ .task }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end -}}

{{- define "eilbote.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The role whose pods take jobs in. */}}
{{- define "eilbote.apiRole" -}}
{{- if .Values.roles.all.enabled -}}all{{- else -}}api{{- end -}}
{{- end -}}

{{/* Values that do not go together; the schema cannot say these. */}}
{{- define "eilbote.check" -}}
{{- $roles := .Values.roles -}}
{{- if eq $roles.all.enabled $roles.api.enabled -}}
{{- fail "roles: exactly one of all and api must be enabled" -}}
{{- end -}}
{{- if and $roles.api.enabled (not $roles.worker.enabled) -}}
{{- fail "roles: api without worker: nobody would deliver; enable worker too" -}}
{{- end -}}
{{- if .Values.database.url -}}
{{- if not .Values.dataKeyRef -}}
{{- fail "dataKeyRef: pods on one PostgreSQL need the same data key; say where it is" -}}
{{- end -}}
{{- else -}}
{{- if or (not $roles.all.enabled) $roles.worker.enabled $roles.scheduler.enabled -}}
{{- fail "roles: SQLite is for one pod with the role all; set database.url for more" -}}
{{- end -}}
{{- if .Values.autoscaling.enabled -}}
{{- fail "autoscaling: SQLite is for one pod; set database.url for more" -}}
{{- end -}}
{{- end -}}
{{- $broker := not (hasPrefix "database:" (default "database:" .Values.config.EILBOTE_TRANSPORT_URL)) -}}
{{- if and $roles.api.enabled (ne $broker $roles.scheduler.enabled) -}}
{{- fail "roles: with api and worker apart, a scheduler is needed where EILBOTE_TRANSPORT_URL names a broker, and only there" -}}
{{- end -}}
{{- if gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas) -}}
{{- fail "autoscaling: minReplicas is more than maxReplicas" -}}
{{- end -}}
{{- if eq (int .Values.service.port) (int .Values.service.metricsPort) -}}
{{- fail "service: port and metricsPort must differ" -}}
{{- end -}}
{{- if and .Values.vault.role (not .Values.vault.address) -}}
{{- fail "vault.address: must be set where vault.role is" -}}
{{- end -}}
{{- end -}}

{{/* One side of a network policy: {namespace, podLabels}. */}}
{{- define "eilbote.peer" -}}
- namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: {{ default .root.Release.Namespace .peer.namespace }}
  {{- with .peer.podLabels }}
  podSelector:
    matchLabels:
      {{- toYaml . | nindent 6 }}
  {{- end }}
{{- end -}}
