import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { mastraModel } from '../../systems/mastra.ts';
import { check, script, spawnSession, thirtyDaysMs } from './case.ts';

const spawn = createTool({
  id: 'spawn_session',
  description: 'Start a session.',
  inputSchema: z.object({}),
  execute: spawnSession,
});
const agent = new Agent({
  id: 'starter',
  name: 'starter',
  instructions: 'Start it.',
  model: mastraModel(script),
  tools: { spawn_session: spawn },
});

await cell(() =>
  check(async () => {
    // The limit of the whole run (reference of generate()).
    const { text } = await agent.generate('Begin.', {
      modelSettings: { timeout: { totalMs: thirtyDaysMs } },
    });
    return text;
  }),
);
