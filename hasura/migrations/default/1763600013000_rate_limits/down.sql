drop function count_hits;
drop table rate_limit;
