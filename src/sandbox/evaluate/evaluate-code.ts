import { FilesystemError } from '../../error/index.ts';
import { type NamedResourceToken, resourceToken } from '../../resource/index.ts';
import { jsonSchema, type Schema } from '../../schema/index.ts';
import { type Tool, type ToolContext, ToolResult, tool } from '../../tool/index.ts';
import type { Evaluator } from './evaluator.ts';
import type { EvaluateLimits } from './limits.ts';
import type { EvaluationLanguage } from './protocol.ts';

/** Arguments of `evaluate_code`. */
export interface EvaluateCodeParams {
  /** Present when the section offers both languages. */
  readonly language?: EvaluationLanguage;
  readonly code: string;
  /** Global variables of the code; each value is JSON text. */
  readonly inputs?: readonly { readonly name: string; readonly json: string }[];
  /** Text files that the code gets. */
  readonly reads?: readonly string[];
  /** Files that the code may write. */
  readonly writes?: readonly string[];
}

/** What the code returned, printed and wrote. */
export interface EvaluateCodeResult {
  /** JSON text, or a description when `value_kind` is `text`. */
  readonly value: string;
  readonly value_kind: 'json' | 'text' | 'none';
  readonly stdout: string;
  /** The paths written. */
  readonly writes: readonly string[];
}

/** The process of the session. */
export const EvaluatorToken: NamedResourceToken<Evaluator> = resourceToken<Evaluator>('code-evaluator');

const RESERVED: readonly string[] = ['files', 'read_text', 'write_text', 'print', 'console', 'globalThis'];

/** The tool `evaluate_code`. */
export function evaluateCodeTool(
  languages: readonly EvaluationLanguage[],
  limits: EvaluateLimits,
): Tool<EvaluateCodeParams, EvaluateCodeResult> {
  return tool({
    name: 'evaluate_code',
    description: `Run ${languages.join(' or ')} code in an interpreter without network. Returns the value of its last expression and what it printed.`,
    inputSchema: inputSchema(languages, limits),
    outputSchema,
    effects: 'state',
    render: () => '',
    execute: (params, context) => execute(params, context, languages, limits),
  });
}

function inputSchema(
  languages: readonly EvaluationLanguage[],
  limits: EvaluateLimits,
): Schema<EvaluateCodeParams> {
  const paths = {
    type: 'array',
    maxItems: limits.maxFiles,
    items: { type: 'string', minLength: 1 },
  } as const;
  return jsonSchema<EvaluateCodeParams>({
    type: 'object',
    properties: {
      ...(languages.length > 1 ? { language: { type: 'string', enum: [...languages] } } : {}),
      code: { type: 'string', minLength: 1, maxLength: limits.maxCodeCharacters },
      inputs: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          properties: {
            name: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: 100 },
            json: { type: 'string', description: 'The value as JSON text.' },
          },
          required: ['name', 'json'],
          additionalProperties: false,
        },
        description: 'Global variables of the code.',
      },
      reads: {
        ...paths,
        description: 'Text files that the code reads, with read_text(path) or as files[path].',
      },
      writes: { ...paths, description: 'Files that the code may write with write_text(path, text).' },
    },
    required: languages.length > 1 ? ['language', 'code'] : ['code'],
    additionalProperties: false,
  });
}

const outputSchema: Schema<EvaluateCodeResult> = jsonSchema<EvaluateCodeResult>({
  type: 'object',
  properties: {
    value: { type: 'string' },
    value_kind: { type: 'string', enum: ['json', 'text', 'none'] },
    stdout: { type: 'string' },
    writes: { type: 'array', items: { type: 'string' } },
  },
  required: ['value', 'value_kind', 'stdout', 'writes'],
  additionalProperties: false,
});

async function execute(
  params: EvaluateCodeParams,
  { filesystem, signal, resources }: ToolContext,
  languages: readonly EvaluationLanguage[],
  limits: EvaluateLimits,
): Promise<ToolResult<EvaluateCodeResult>> {
  const { language = languages[0] ?? 'javascript', code, inputs = [], reads = [], writes = [] } = params;
  const values: [string, unknown][] = [];
  for (const { name, json } of inputs) {
    if (RESERVED.includes(name))
      return ToolResult.error(`The name "${name}" is taken. Choose another for the input.`);
    try {
      values.push([name, JSON.parse(json)]);
    } catch {
      return ToolResult.error(`The input "${name}" is not JSON text. A string needs quotes of its own.`);
    }
  }
  try {
    const files: [string, string][] = [];
    let characters = 0;
    for (const path of reads) {
      const bytes = await filesystem.readBytes(path);
      characters += bytes.length;
      if (characters > limits.maxFileCharacters)
        return ToolResult.error(
          `The files in "reads" have more than ${limits.maxFileCharacters} bytes together.`,
        );
      files.push([path, new TextDecoder('utf-8').decode(bytes)]);
    }
    const evaluator = await resources.get(EvaluatorToken);
    const { timeoutMs, maxMemoryBytes, maxOutputCharacters } = limits;
    const outcome = await evaluator.run(
      { language, code, inputs: values, files, writes, timeoutMs, maxMemoryBytes, maxOutputCharacters },
      signal,
    );
    const unchanged = 'No file was written.';
    if (outcome.kind !== 'reply')
      return ToolResult.error(
        outcome.kind === 'timeout'
          ? `The code did not end within ${timeoutMs / 1000} s and was killed. ${unchanged}`
          : `The interpreter crashed or ran out of memory. ${unchanged}`,
      );
    const { error, kind, value, stdout, writes: written } = outcome.reply;
    const printed = stdout === '' ? [] : [`stdout:\n${stdout}`];
    if (error !== undefined)
      return ToolResult.error([`${error.slice(0, 4000)}\n${unchanged}`, ...printed].join('\n'));
    if (written.some(([path]) => !writes.includes(path)))
      return ToolResult.error(`The code wrote a file that is not in "writes". ${unchanged}`);
    if (written.reduce((sum, [, text]) => sum + text.length, 0) > limits.maxFileCharacters)
      return ToolResult.error(
        `The files written have more than ${limits.maxFileCharacters} characters. ${unchanged}`,
      );
    if (value.length > maxOutputCharacters)
      return ToolResult.error(
        `The value has ${value.length} characters; ${maxOutputCharacters} are possible. Return less, or write it to a file. ${unchanged}`,
      );
    for (const [path, text] of written) await filesystem.write(path, text);
    const paths = written.map(([path]) => path);
    const said = kind === 'none' ? 'No value.' : `value${kind === 'text' ? ' (not JSON)' : ''}: ${value}`;
    const wrote = paths.length === 0 ? [] : [`Written: ${paths.join(', ')}`];
    return ToolResult.ok(
      { value, value_kind: kind, stdout, writes: paths },
      [said, ...wrote, ...printed].join('\n'),
    );
  } catch (error) {
    if (FilesystemError.isInstance(error)) return ToolResult.error(`${error.message} No file was written.`);
    throw error;
  }
}
