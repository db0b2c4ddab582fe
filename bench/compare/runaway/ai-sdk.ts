import { isStepCount, type StopCondition, ToolLoopAgent, tool } from 'ai-7';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import type { Script } from '../harness/script.ts';
import { aiSdkModel } from '../systems/ai-sdk.ts';
import { check, failingScript, fetchPage, maxTokens, spendingScript } from './case.ts';

const tools = {
  fetch_page: tool({
    description: 'Fetch a page.',
    inputSchema: z.object({ page: z.number() }),
    execute: async ({ page }) => fetchPage(page),
  }),
};
// An agent stops after 20 steps; a condition of one's own adds up what steps have used (documentation: Loop Control).
const isBudgetSpent: StopCondition<typeof tools> = ({ steps }) =>
  steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0) >= maxTokens;
const agentOf = (script: Script) =>
  new ToolLoopAgent({ model: aiSdkModel(script), tools, stopWhen: [isStepCount(20), isBudgetSpent] });

await cell(async () =>
  by(
    'stopWhen',
    await check(
      () => agentOf(failingScript).generate({ prompt: 'Read it all.' }),
      () => agentOf(spendingScript).generate({ prompt: 'Read it all.' }),
    ),
  ),
);
