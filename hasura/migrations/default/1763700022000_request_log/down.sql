drop function record_refused_requests(jsonb);
drop function remove_old_refused_requests(integer);
drop table refused_request;
