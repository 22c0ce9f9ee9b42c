/* Included before a test that is one of many in a program: main is a macro there (one_of_many.c). */
int main(void);
