import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import { cell } from '../../harness/cell.ts';
import { openaiAgentsModel } from '../../systems/openai-agents.ts';
import { check, script, spawnSession, thirtyDaysMs } from './case.ts';

await cell(() =>
  check(async () => {
    // A run has no limit of time; a function tool has (documentation: Tools, "Function tool timeouts").
    const spawn = tool({
      name: 'spawn_session',
      description: 'Start a session.',
      parameters: z.object({}),
      timeoutMs: thirtyDaysMs,
      execute: spawnSession,
    });
    const agent = new Agent({
      name: 'starter',
      instructions: 'Start it.',
      model: openaiAgentsModel(script),
      tools: [spawn],
    });
    return (await run(agent, 'Begin.')).finalOutput;
  }),
);
