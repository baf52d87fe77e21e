{{/* What the pods of all roles, the migration and the test have in common. */}}

{{- define "eilbote.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "eilbote.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Options for a role: what the chart decides, then config, then secrets as variables. A task may have a databaseUrl of its own. */}}
{{- define "eilbote.env" -}}
{{- $values := .root.Values -}}
- name: EILBOTE_ROLE
  value: {{ .role }}
- name: EILBOTE_LISTEN
  value: {{ printf "%s:%d" $values.service.listenHost (int $values.service.port) | quote }}
- name: EILBOTE_METRICS_LISTEN
  value: {{ printf "%s:%d" $values.service.listenHost (int $values.service.metricsPort) | quote }}
- name: EILBOTE_DATA_DIR
  value: /var/lib/eilbote
- name: EILBOTE_SHUTDOWN_GRACE
  value: {{ $values.shutdownGraceSeconds }}s
- name: EILBOTE_AUTH
  value: oidc
- name: EILBOTE_OIDC_ISSUER
  value: {{ required "oidc.issuer: say whose tokens are taken" $values.oidc.issuer | quote }}
- name: EILBOTE_OIDC_AUDIENCE
  value: {{ $values.oidc.audience | quote }}
{{- with default $values.database.url .databaseUrl }}
- name: EILBOTE_STORE_URL
  value: {{ . | quote }}
{{- end }}
{{- with $values.database.passwordRef }}
- name: EILBOTE_STORE_PASSWORD_REF
  value: {{ . | quote }}
{{- end }}
{{- with $values.dataKeyRef }}
- name: EILBOTE_DATA_KEY_REF
  value: {{ . | quote }}
{{- end }}
{{- with $values.vault.address }}
- name: EILBOTE_VAULT_ADDR
  value: {{ . | quote }}
{{- end }}
{{- with $values.vault.role }}
- name: EILBOTE_VAULT_K8S_ROLE
  value: {{ . | quote }}
- name: EILBOTE_VAULT_K8S_TOKEN_FILE
  value: /var/run/secrets/vault/token
{{- end }}
{{- if and $values.file (not .task) }}
- name: EILBOTE_CONFIG
  value: /etc/eilbote/eilbote.toml
{{- end }}
{{- range $name, $value := $values.config }}
- name: {{ $name }}
  {{- /* Numbers come as fractions from YAML; a whole one is written with all its digits, not as 5e+06. */}}
  value: {{ ternary (int64 $value) $value (and (kindIs "float64" $value) (eq (floor $value) $value)) | toString | quote }}
{{- end }}
{{- range $values.secrets.env }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end }}
{{- end -}}

{{- define "eilbote.secretMounts" -}}
{{- range .Values.secrets.files }}
- name: secret-{{ .secret }}
  mountPath: /etc/eilbote/secrets/{{ .secret }}
  readOnly: true
{{- end }}
{{- if .Values.vault.role }}
- name: vault-token
  mountPath: /var/run/secrets/vault
  readOnly: true
{{- end }}
{{- end -}}

{{- define "eilbote.secretVolumes" -}}
{{- range .Values.secrets.files }}
- name: secret-{{ .secret }}
  secret:
    secretName: {{ .secret }}
    defaultMode: 288  # 0440
{{- end }}
{{- if .Values.vault.role }}
- name: vault-token
  projected:
    defaultMode: 288  # 0440
    sources:
      - serviceAccountToken:
          path: token
          audience: {{ .Values.vault.audience }}
          expirationSeconds: 3600
{{- end }}
{{- end -}}
