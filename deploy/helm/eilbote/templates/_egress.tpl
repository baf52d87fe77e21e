{{/* Whom the pods may call; for the servers and for the migration. */}}
{{- define "eilbote.egress" -}}
{{- $root := . -}}
{{- $egress := .Values.networkPolicy.egress -}}
- to:
    {{- include "eilbote.peer" (dict "root" . "peer" $egress.dns) | nindent 4 }}
  ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
{{- range $egress.to }}
# {{ .name }}
- to:
    {{- if or .namespace .podLabels }}
    {{- include "eilbote.peer" (dict "root" $root "peer" .) | nindent 4 }}
    {{- end }}
    {{- range .cidrs }}
    - ipBlock:
        cidr: {{ . }}
    {{- end }}
  ports:
    {{- range .ports }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
{{- end }}
{{- if $egress.internet.enabled }}
# Webhook endpoints, Microsoft Graph
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          {{- toYaml $egress.internet.except | nindent 10 }}
    - ipBlock:
        cidr: ::/0
        except:
          {{- toYaml $egress.internet.exceptV6 | nindent 10 }}
  ports:
    {{- range $egress.internet.ports }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
{{- end }}
{{- end -}}
