import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import type { Script } from '../harness/script.ts';
import { mastraModel } from '../systems/mastra.ts';
import { check, failingScript, fetchPage, maxTokens, spendingScript } from './case.ts';

const fetchTool = createTool({
  id: 'fetch_page',
  description: 'Fetch a page.',
  inputSchema: z.object({ page: z.number() }),
  execute: async ({ page }) => fetchPage(page),
});
interface Step {
  readonly usage?: { readonly totalTokens?: number | undefined };
}
// A run ends after five steps, or maxSteps; stopWhen takes conditions on steps, tokens among them (reference of generate()).
const runOf = (script: Script) =>
  new Agent({
    id: 'reader',
    name: 'reader',
    instructions: 'Read it all.',
    model: mastraModel(script),
    tools: { fetch_page: fetchTool },
  }).generate('Begin.', {
    maxSteps: 20,
    stopWhen: ({ steps }: { readonly steps: readonly Step[] }) =>
      steps.reduce((sum, { usage }) => sum + (usage?.totalTokens ?? 0), 0) >= maxTokens,
  });

await cell(async () =>
  by(
    'maxSteps, stopWhen',
    await check(
      () => runOf(failingScript),
      () => runOf(spendingScript),
    ),
  ),
);
