drop table report;
