{{/* What every pod of ours has; takes the root context, the component and the id of its user. */}}
{{- define "platform.pod" -}}
{{- $root := index . 0 -}}
serviceAccountName: {{ $root.Release.Name }}-platform
automountServiceAccountToken: false
# Their variables would be taken for the services' own, such as WEBHOOKS_PORT.
enableServiceLinks: false
{{- with $root.Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ index . 2 }}
  runAsGroup: {{ index . 2 }}
  fsGroup: {{ index . 2 }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Instances of a component are spread over zones and nodes, as far as there are any. */}}
{{- define "platform.spread" -}}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector: {{- include "platform.pods" $ | nindent 6 }}
  {{- end }}
{{- end }}

{{/* No container may gain rights, or write but where a volume is. */}}
{{- define "platform.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* A new instance is there before an old one goes. */}}
{{- define "platform.rollingUpdate" -}}
type: RollingUpdate
rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
{{- end }}

{{/* A variable from a Secret: the root context, the variable's name, and the key where it has another name. */}}
{{- define "platform.secretVariable" -}}
- name: {{ index . 1 }}
  valueFrom: { secretKeyRef: { name: {{ include "platform.secret" (index . 0) }}, key: {{ last . }} } }
{{- end }}

{{/* The same for one that need not be there. */}}
{{- define "platform.optionalVariable" -}}
- name: {{ index . 1 }}
  valueFrom: { secretKeyRef: { name: {{ include "platform.secret" (index . 0) }}, key: {{ index . 1 }}, optional: true } }
{{- end }}

{{/* The certificate by which PostgreSQL is known. The Secret also has the key that signs it, which nobody gets. */}}
{{- define "platform.databaseVolume" -}}
- name: database-ca
  secret:
    secretName: {{ .Release.Name }}-postgres-ca
    items: [{ key: ca.crt, path: ca.crt }]
{{- end }}
{{- define "platform.databaseMount" -}}
- { name: database-ca, mountPath: /etc/database-ca, readOnly: true }
{{- end }}
