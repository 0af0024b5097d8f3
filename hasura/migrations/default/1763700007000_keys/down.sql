drop table jwks;
drop table api_key;
