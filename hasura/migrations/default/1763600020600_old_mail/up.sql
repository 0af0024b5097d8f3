-- What is long sent, or given up, is deleted by its age.
create index mail_created_at_idx on mail (created_at);
