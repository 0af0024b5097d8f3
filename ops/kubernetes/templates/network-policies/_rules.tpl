{{/* The beginning of a policy for the pods of a component. */}}
{{- define "network.policy" -}}
{{- $root := index . 0 -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ $root.Release.Name }}-{{ index . 1 }}
  labels: {{- include "platform.labels" . | nindent 4 }}
spec:
  policyTypes: [Ingress, Egress]
  podSelector: {{- include "platform.pods" . | nindent 4 }}
{{- end }}

{{/* Lets components in, or out to them: the root context, `from` or `to`, a port, and their names. */}}
{{- define "network.components" -}}
{{- $root := index . 0 -}}
- {{ index . 1 }}:
    {{- range slice . 3 }}
    - podSelector: {{- include "platform.pods" (list $root .) | nindent 8 }}
    {{- end }}
  ports: [{ protocol: TCP, port: {{ index . 2 }} }]
{{- end }}

{{/* The same for peers of the values and a list of ports; nothing where there are no peers, which would be everybody. */}}
{{- define "network.peers" -}}
{{- if index . 1 -}}
- {{ index . 0 }}: {{- toYaml (index . 1) | nindent 4 }}
  ports:
    {{- range index . 2 }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end -}}
{{- end }}

{{/* Lets names be looked up. */}}
{{- define "network.dns" -}}
- to: {{- toYaml .Values.networkPolicies.dns | nindent 4 }}
  ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
{{- end }}
