import {
  jsonSchema,
  MemoryFilesystem,
  type Prompt,
  promptTemplate,
  type RunEvent,
  section,
} from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { gate } from '../gate.ts';
import { hangTool, replaceTogetherTool } from './waiting-tools.ts';

/** The files, prompts and events of a run on a real harness. */
export interface Workshop {
  readonly filesystem: MemoryFilesystem;
  /** File tools that want a file to be read before it is written, and tools that wait: `hang` and `replace_together`. */
  readonly prompt: Prompt<undefined>;
  /** The same, answered with a count. */
  readonly counter: Prompt<{ readonly count: number }>;
  /** Resolves when `hang` has written a file and waits. */
  readonly hangs: Promise<void>;
  readonly events: RunEvent[];
  readonly observers: readonly [{ readonly onEvent: (event: RunEvent) => void }];
  /** Tool and outcome of each call that has ended. */
  outcomes(): readonly (readonly [tool: string, outcome: string])[];
  text(path: string): Promise<string | undefined>;
}

export function workshop(): Workshop {
  const filesystem = new MemoryFilesystem({ files: { 'config.yaml': 'a: 1\nb: 2\n' } });
  const door = gate();
  const hang = hangTool(() => void door.pass());
  const parts = {
    ns: 'test',
    key: 'workshop',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Change the files as you are asked to.',
        tools: [hang, replaceTogetherTool()],
      }),
      vfsToolsSection({ filesystem }),
    ],
  };
  const events: RunEvent[] = [];
  return {
    filesystem,
    prompt: promptTemplate(parts).bind(),
    counter: promptTemplate({
      ...parts,
      output: jsonSchema<{ readonly count: number }>({
        type: 'object',
        properties: { count: { type: 'integer' } },
        required: ['count'],
        additionalProperties: false,
      }),
    }).bind(),
    hangs: door.reached,
    events,
    observers: [{ onEvent: (event) => events.push(event) }],
    outcomes: () =>
      events.flatMap((event) =>
        event.type === 'tool-call-end' ? [[event.toolName, event.invocation.outcome] as const] : [],
      ),
    text: async (path) =>
      (await filesystem.stat(path)) === undefined ? undefined : (await filesystem.read(path)).text,
  };
}
