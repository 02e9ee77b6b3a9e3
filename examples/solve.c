/* SPDX-License-Identifier: Apache-2.0
 *
 * Solves an instance with a trained network:  solve-c INSTANCE MODEL
 */
#include <bough/bough.h>
#include <scip/scip.h>
#include <scip/scipdefplugins.h>
#include <stdio.h>

static SCIP_RETCODE run(SCIP* scip, const char* instance, const char* model)
{
   SCIP_CALL( SCIPincludeDefaultPlugins(scip) );
   SCIP_CALL( BOUGHincludeBranching(scip, model) );   /* the one call */
   SCIPsetMessagehdlrQuiet(scip, TRUE);

   SCIP_CALL( SCIPreadProb(scip, instance, NULL) );
   SCIP_CALL( SCIPsolve(scip) );

   printf("status %s\n", SCIPgetStatus(scip) == SCIP_STATUS_OPTIMAL ? "optimal" : "other");
   printf("objective %.9g\n", SCIPgetPrimalbound(scip));
   printf("decisions %lld\n", (long long)BOUGHgetNDecisions(scip));
   printf("fallbacks %lld\n", (long long)BOUGHgetNFallbacks(scip));
   return SCIP_OKAY;
}

int main(int argc, char** argv)
{
   SCIP* scip = NULL;
   SCIP_RETCODE code;

   if( argc != 3 )
   {
      fprintf(stderr, "usage: solve-c INSTANCE MODEL\n");
      return 2;
   }
   code = SCIPcreate(&scip);
   if( code == SCIP_OKAY )
      code = run(scip, argv[1], argv[2]);
   if( code != SCIP_OKAY )
      SCIPprintError(code);
   if( scip != NULL )
      SCIPfree(&scip);   /* frees the rule too */
   return code == SCIP_OKAY ? 0 : 1;
}
