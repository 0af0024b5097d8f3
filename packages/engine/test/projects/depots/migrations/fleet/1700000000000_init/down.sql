drop table depot;
