import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import {
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from '../../../src/entries/index.ts';
import { openRunRecorder } from '../../../src/host/record-file/open-run-recorder.ts';
import { providerAdapter } from '../../../src/providers/kit/provider-adapter.ts';

// Started as a process of its own: records a run, three calls in each turn, until it is killed. Before each turn it prints how many calls were
// committed in the turns before, once the step of the event loop in which that happened has ended.
const [file = ''] = process.argv.slice(2);
const callsPerTurn = 3;

const noted = z.object({ number: z.number() });
const Noted = defineEvent({ name: 'noted', schema: noted });
const Notes = defineSlice({
  name: 'notes',
  schema: noted,
  reducers: (on) => [on(Noted, (items, payload) => items.append(payload))],
});
const note = tool({
  name: 'note',
  description: 'Notes a number.',
  effects: 'state',
  inputSchema: noted,
  execute: async (input, { session, filesystem }) => {
    session.dispatch(Noted, input);
    // Long enough that writing its row takes a moment.
    await filesystem?.write(`${input.number}.txt`, `${input.number}\n`.repeat(50_000));
    return ToolResult.ok(null, 'Noted.');
  },
});
const template = promptTemplate({
  ns: 'test',
  key: 'notes',
  sections: [
    section({
      title: 'Notes',
      key: 'notes',
      template: 'Note numbers.',
      tools: [note],
      slices: [Notes],
      resources: [binding(Filesystem, { create: () => new MemoryFilesystem() })],
    }),
  ],
});
const adapter = providerAdapter({
  model: {
    name: 'test adapter',
    model: 'test-model',
    settings: {},
    generate: async ({ turn }) => {
      const before = (turn - 1) * callsPerTurn;
      // What was added to this step of the event loop is written before the next one ends.
      await setImmediate();
      await setImmediate();
      process.stdout.write(`${before}\n`);
      return {
        content: Array.from({ length: callsPerTurn }, (_, index) => ({
          type: 'tool-call' as const,
          callId: `c${before + index + 1}`,
          name: 'note',
          arguments: JSON.stringify({ number: before + index + 1 }),
        })),
        finishReason: 'tool-calls',
      };
    },
  },
});
const recorder = await openRunRecorder({ file });
await adapter.evaluate(template.bind(), { observers: [recorder], limits: { maxTurns: 1_000_000 } });
