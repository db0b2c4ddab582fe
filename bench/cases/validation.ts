import { Ajv } from 'ajv';
import { jsonSchema, promptTemplate, type Schema, section, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';
import { writableCopy } from '../../src/core/internal/index.ts';
import { resolveCall } from '../../src/core/runtime/call/tool-call/tool-call.ts';
import { VisiblePrompt } from '../../src/core/runtime/model/visible-prompt.ts';
import { compileSchema, parseInput } from '../../src/core/schema/index.ts';
import { runProgram } from '../harness/program.ts';
import { measureRounds } from './repeat.ts';

interface Params {
  readonly id: string;
  readonly count: number;
  readonly flag: boolean;
}

/** What a contender does: `true` for arguments that fit. */
interface Way {
  readonly validate: (value: unknown) => boolean;
  /** From the argument text of the model. */
  readonly read: (text: string) => boolean;
}

const document = {
  type: 'object',
  properties: { id: { type: 'string' }, count: { type: 'number' }, flag: { type: 'boolean' } },
  required: ['id', 'count', 'flag'],
  additionalProperties: false,
} as const;
const strict = z.strictObject({ id: z.string(), count: z.number(), flag: z.boolean() });

const ways = {
  'weakincentives-zod': () => callOf(z.object({ id: z.string(), count: z.number(), flag: z.boolean() })),
  'weakincentives-json-schema': () => callOf(jsonSchema<Params>(document)),
  zod: () => {
    const validate = (value: unknown) => strict.safeParse(value).success;
    return { validate, read: (text) => validate(JSON.parse(text)) };
  },
  ajv: () => {
    const compiled = new Ajv().compile(document);
    const validate = (value: unknown) => compiled(value);
    return { validate, read: (text) => validate(JSON.parse(text)) };
  },
} satisfies Record<string, () => Way | Promise<Way>>;

/**
 * Processes the arguments of every tool call before its handler: parsed, frozen and recorded unchanged,
 * parsed again for the handler, and validated.
 */
async function callOf(inputSchema: Schema<Params>): Promise<Way> {
  const compiled = compileSchema(inputSchema);
  const execute = () => ToolResult.ok(null);
  const count = tool({ name: 'count', description: 'Counts.', inputSchema, execute });
  const rendered = await promptTemplate({
    ns: 'bench',
    key: 'validation',
    sections: [section({ title: 'Task', key: 'task', template: 'Count.', tools: [count] })],
  })
    .bind()
    .render();
  const display = new VisiblePrompt(rendered, {
    state: { openings: [], expansions: 0 },
    maxSectionOpenings: 0,
  });
  const fits = (value: unknown): boolean => {
    const outcome = parseInput(compiled, value);
    if (outcome instanceof Promise) throw new Error('These schemas are synchronous.');
    return outcome.ok;
  };
  return {
    validate: fits,
    read: (text) => {
      const call = { callId: 'call', toolName: 'count', arguments: text, turn: 1 };
      const resolution = resolveCall(call, {
        display,
        outer: undefined,
        allowedTools: undefined,
        roots: { filesystem: undefined },
      });
      return resolution.kind === 'resolved' && fits(writableCopy(resolution.resolved.params));
    },
  };
}

const known = { id: 'item-1', count: 3, flag: true };
const values = { fits: known, 'unknown-key': { ...known, extra: 1 }, 'wrong-type': { ...known, count: '3' } };

/** CPU µs for one validation as `validation`, and from the text of the call as `read`. */
await runProgram<{ readonly way: keyof typeof ways; readonly value: keyof typeof values }>(
  async ({ way, value }, plan) => {
    const { validate, read } = await ways[way]();
    const text = JSON.stringify(values[value]);
    const isFit = value === 'fits';
    let wrong = 0;
    const rounds = 50_000;
    const tested = values[value];
    const validation = await measureRounds(plan, {
      rounds,
      run: () => {
        if (validate(tested) !== isFit) wrong += 1;
      },
    });
    const whole = await measureRounds(plan, {
      rounds,
      run: () => {
        if (read(text) !== isFit) wrong += 1;
      },
    });
    if (wrong > 0) throw new Error(`${wrong} answers were wrong.`);
    return {
      samples: { validation: validation.samples['each'] ?? [], read: whole.samples['each'] ?? [] },
      notes: [...(validation.notes ?? []), ...(whole.notes ?? [])],
    };
  },
);
