#include "apps/frit/program.h"

int main(int argc, char** argv) { return frit::run_program(argc, argv); }
