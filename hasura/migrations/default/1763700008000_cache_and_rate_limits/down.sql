drop function count_hits(jsonb);
drop table rate_limit;
drop table cache;
