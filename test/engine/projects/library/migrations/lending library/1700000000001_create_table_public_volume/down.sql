DROP TABLE "public"."volume";
