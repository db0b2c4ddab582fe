import {
  binding,
  Filesystem,
  MemoryFilesystem,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const toolName = 'write';
/** With the braces and the name of the member, the arguments are 200 bytes and the value 400. */
const argumentLength = 189;
const valueLength = 389;
const fileLength = 200;
/** What a turn has to keep: arguments, value and file. */
export const contentBytes = 800;

/** An agent whose every turn has one call: 200 bytes of arguments, a value of 400 bytes and a file of 200. */
export interface WritingAgent {
  readonly adapter: ProviderAdapter;
  readonly prompt: Prompt;
  /** How often the handler of the tool has run. */
  readonly written: () => number;
}

/**
 * @param onTurn is called when the model is asked for a turn, from 1, before it answers. What it throws ends the run, as an error of a
 * provider does.
 */
export function writingAgent(turns: number, onTurn: (turn: number) => void = () => undefined): WritingAgent {
  let written = 0;
  const write = tool({
    name: toolName,
    description: 'Writes a file.',
    effects: 'state',
    inputSchema: z.strictObject({ text: z.string() }),
    outputSchema: z.strictObject({ text: z.string() }),
    execute: async ({ text }, { filesystem, callId }) => {
      await filesystem.write(`files/${callId}.md`, text.padEnd(fileLength, 'y'));
      written += 1;
      return ToolResult.ok({ text: text.padEnd(valueLength, 'z') });
    },
  });
  const template = promptTemplate({
    ns: 'bench',
    key: 'journal',
    sections: [
      section({
        title: 'Writing',
        key: 'writing',
        template: 'Write files with the tool until all of them are there.',
        tools: [write],
        resources: [binding(Filesystem, { create: () => new MemoryFilesystem() })],
      }),
    ],
  });
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    onTurn(turn);
    if (turn > turns) return { text: 'done' };
    const text = `${turn}`.padEnd(argumentLength, 'x');
    return { toolCalls: [{ callId: `call-${turn}`, name: toolName, arguments: JSON.stringify({ text }) }] };
  });
  return { adapter, prompt: template.bind(), written: () => written };
}
