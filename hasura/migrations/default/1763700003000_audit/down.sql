drop table audit;
drop function record_in_audit();
