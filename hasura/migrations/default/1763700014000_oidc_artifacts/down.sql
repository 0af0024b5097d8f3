drop table oidc_artifact;
