import { describe, expect, it } from 'vitest';
import type { JsonSchema } from 'weakincentives';
import { aiSdkDialect } from 'weakincentives/ai-sdk';
import { anthropicDialect } from 'weakincentives/anthropic';
import { openaiDialect } from 'weakincentives/openai';
import { type ModelTool, type SchemaDialect, ToolSchemas } from 'weakincentives/provider';
import type { ProjectedRequest } from '../../../../../src/providers/kit/schema/tool-schemas.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { closed, text } from '../../../core/schema/projection/shape.ts';

const modelTool = (name: string, inputSchema: JsonSchema): ModelTool => ({
  name,
  description: `Does ${name}.`,
  inputSchema,
  examples: [],
});

/** A tool with so many properties that may be left out. */
const optional = (name: string, count: number): ModelTool =>
  modelTool(name, closed(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, text])), []));

const union = (name: string, count: number): ModelTool =>
  modelTool(
    name,
    closed(
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`p${at}`, { anyOf: [text, { type: 'null' }] }]),
      ),
    ),
  );

const free = modelTool('free', { type: 'object' });
const bounded = modelTool('bounded', closed({ a: { type: 'string', format: 'color' } }));

const strictOnes = ({ tools }: ProjectedRequest): readonly string[] =>
  tools.filter(({ schema }) => schema.strict).map(({ tool }) => tool.name);

describe('the schemas of an adapter', () => {
  it.each<[string, SchemaDialect, readonly string[]]>([
    ['openai', openaiDialect, ['warn', 'info']],
    ['anthropic', anthropicDialect, ['warn', 'info']],
    // There most schemas are sent as they are, which is no reason to worry.
    ['any provider', aiSdkDialect, ['info', 'info']],
  ])('are projected once, and their losses told once: %s', (_name, dialect, levels) => {
    const projections = new ToolSchemas(dialect);
    const logger = recordingLogger();
    const request = {
      tools: [free, bounded, modelTool('plain', closed({}))],
      outputSchema: closed({ a: text }),
    };
    const first = projections.project(request, logger);
    const second = projections.project(request, logger);
    expect(second.answer).toBe(first.answer);
    expect(second.tools.map(({ schema }) => schema)).toEqual(first.tools.map(({ schema }) => schema));
    for (const [index, { tool, schema }] of second.tools.entries()) {
      expect(tool).toBe(request.tools[index]);
      expect(schema).toBe(first.tools[index]?.schema);
    }
    expect(logger.lines.map(({ level }) => level)).toEqual(levels);
    expect(logger.lines[0]?.message).toBe(
      `${dialect.provider} cannot enforce the schema of the tool "free"; values are validated after the answer.`,
    );
    expect(logger.lines[0]?.fields).toEqual({
      losses: [{ path: '', keyword: 'additionalProperties', note: 'an object with free keys' }],
    });
  });

  it('tell whose answer loses something', () => {
    const logger = recordingLogger();
    const { answer, tools } = new ToolSchemas(openaiDialect).project(
      { tools: [], outputSchema: { type: 'array', items: text, uniqueItems: true } },
      logger,
    );
    expect(tools).toEqual([]);
    expect(answer?.strict).toBe(true);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'OpenAI cannot enforce every constraint of the final answer; values are validated after the answer.',
    ]);
  });

  it('need no answer', () => {
    const { answer } = new ToolSchemas(openaiDialect).project({ tools: [] }, recordingLogger());
    expect(answer).toBeUndefined();
  });
});

describe('what a request has no room for', () => {
  const project = (tools: readonly ModelTool[], outputSchema?: JsonSchema): ProjectedRequest =>
    new ToolSchemas(anthropicDialect).project(
      { tools, ...(outputSchema === undefined ? {} : { outputSchema }) },
      recordingLogger(),
    );

  it('is the twenty-first strict tool, but not one that is not strict anyway', () => {
    const many = Array.from({ length: 21 }, (_, at) => modelTool(`t${at}`, closed({ a: text })));
    expect(strictOnes(project([free, ...many]))).toEqual(many.slice(0, 20).map(({ name }) => name));
  });

  it('are too many properties that may be left out, in all', () => {
    expect(strictOnes(project([optional('a', 20), optional('b', 5), optional('c', 4)]))).toEqual(['a', 'c']);
  });

  it('are too many places with alternatives, in all', () => {
    expect(strictOnes(project([union('a', 10), union('b', 7), union('c', 6)]))).toEqual(['a', 'c']);
  });

  it('comes after the answer, which counts as no tool', () => {
    const answer = optional('', 20).inputSchema;
    const request = project([optional('a', 5), optional('b', 4)], answer);
    expect(request.answer?.strict).toBe(true);
    expect(strictOnes(request)).toEqual(['b']);
  });

  it('does not depend on tools that come behind', () => {
    const before = [optional('a', 20), optional('b', 5)];
    expect(strictOnes(project([...before, optional('c', 4)])).slice(0, 1)).toEqual(
      strictOnes(project(before)),
    );
  });

  it('is sent in full, as advice, told once, and is strict again in a request with room', () => {
    const projections = new ToolSchemas(anthropicDialect);
    const logger = recordingLogger();
    const small = optional('small', 5);
    const crowded = { tools: [optional('large', 20), small] };
    const [, first] = projections.project(crowded, logger).tools;
    const [, second] = projections.project(crowded, logger).tools;
    expect(second?.schema).toBe(first?.schema);
    expect(first?.schema).toMatchObject({ strict: false, schema: small.inputSchema, isWrapped: false });
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message:
          'Anthropic cannot enforce the schema of the tool "small"; values are validated after the answer.',
        fields: { losses: first?.schema.losses },
      },
    ]);
    expect(first?.schema.losses).toHaveLength(1);
    expect(strictOnes(projections.project({ tools: [small] }, logger))).toEqual(['small']);
  });

  it('is never strict when it is too much by itself', () => {
    const [tool] = project([optional('a', 25)]).tools;
    expect(tool?.schema.strict).toBe(false);
    expect(tool?.schema.losses).toEqual([
      {
        path: '/properties/p24',
        keyword: 'required',
        note: 'more than 24 properties that may be left out in all',
      },
    ]);
  });
});
