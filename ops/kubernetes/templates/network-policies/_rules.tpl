{{/* The first part of a policy for the pods of a component. */}}
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

{{/* Allows connections from or to components; takes the root context, `from` or `to`, a port, and the names. */}}
{{- define "network.components" -}}
{{- $root := index . 0 -}}
- {{ index . 1 }}:
    {{- range slice . 3 }}
    - podSelector: {{- include "platform.pods" (list $root .) | nindent 8 }}
    {{- end }}
  ports: [{ protocol: TCP, port: {{ index . 2 }} }]
{{- end }}

{{/* Allows connections from or to peers that the values name, on a list of ports. Without peers it writes no rule, because an empty list would allow all. */}}
{{- define "network.peers" -}}
{{- if index . 1 -}}
- {{ index . 0 }}: {{- toYaml (index . 1) | nindent 4 }}
  ports:
    {{- range index . 2 }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end -}}
{{- end }}

{{/* Allows name lookups (DNS). */}}
{{- define "network.dns" -}}
- to: {{- toYaml .Values.networkPolicies.dns | nindent 4 }}
  ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
{{- end }}
