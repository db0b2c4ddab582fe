import { describeError } from '../../../core/error/index.ts';
import type { CommandOutputs } from '../backend/output.ts';
import type { CallFiles } from './call-files.ts';
import type { EvaluatedValue, EvaluationRequest } from './protocol.ts';
import { pythonText } from './python-text.ts';

/** The part of the package `@pydantic/monty` that is used; an optional peer. */
export interface Monty {
  readonly Monty: new (
    code: string,
    options: { readonly scriptName: string; readonly inputs: readonly string[] },
  ) => {
    run(options: {
      readonly inputs: Readonly<Record<string, unknown>>;
      readonly limits: Readonly<Record<string, number>>;
      readonly printCallback: (stream: string, text: string) => void;
      readonly externalFunctions: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
    }): unknown;
  };
}

const maxAllocations = 50_000_000;
const maxRecursion = 200;

/** Runs Python. The limits are those of the engine: some operations ignore them, and the session kills the process. */
export function evaluatePython(
  engine: Monty,
  request: EvaluationRequest,
  files: CallFiles,
  output: CommandOutputs,
): EvaluatedValue | { readonly error: string } {
  const taken = request.inputs.find(([name]) => !canBeInput(engine, name));
  if (taken !== undefined)
    return { error: `The name "${taken[0]}" is taken in Python. Choose another for the input.` };
  const inputs = Object.fromEntries([...request.inputs, ['files', Object.fromEntries(request.files)]]);
  try {
    const program = new engine.Monty(request.code, { scriptName: 'code.py', inputs: Object.keys(inputs) });
    const value = program.run({
      inputs,
      limits: {
        maxDurationSecs: request.timeoutMs / 1000,
        maxMemory: request.maxMemoryBytes,
        maxAllocations: maxAllocations,
        maxRecursionDepth: maxRecursion,
      },
      // The engine refuses a result of the callback.
      printCallback: (_stream, text) => {
        output.add('stdout', Buffer.from(text));
      },
      externalFunctions: {
        read_text: (path) => files.read(path),
        write_text: (path, text) => {
          files.write(path, text);
          return null;
        },
      },
    });
    return describeValue(value);
  } catch (error) {
    return { error: traceback(error) };
  }
}

/** Whether code finds the input. The engine ignores one that has the name of a function of its own, such as `sum` or `id`. */
function canBeInput(engine: Monty, name: string): boolean {
  const marker = 'input';
  try {
    const program = new engine.Monty(name, { scriptName: 'name.py', inputs: [name] });
    const options = { limits: {}, printCallback: () => undefined, externalFunctions: {} };
    return program.run({ ...options, inputs: Object.fromEntries([[name, marker]]) }) === marker;
  } catch {
    // A keyword does not parse.
    return false;
  }
}

function traceback(error: unknown): string {
  // Errors of the engine have a method for the text that Python would print.
  const { display } = error as { readonly display?: (format: string) => string };
  return typeof display === 'function' ? display.call(error, 'traceback') : describeError(error);
}

function describeValue(value: unknown): EvaluatedValue {
  if (value === null || value === undefined) return { kind: 'none', value: '' };
  try {
    return { kind: 'json', value: JSON.stringify(plain(value)) };
  } catch {
    return { kind: 'text', value: pythonText(value) };
  }
}

/** @throws {TypeError} for what JSON cannot represent. */
function plain(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  // Markers of the engine for tuples and the like are arrays with a property, which JSON leaves out.
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map && [...value.keys()].every((key) => typeof key === 'string'))
    return Object.fromEntries([...value].map(([key, entry]) => [key, plain(entry)]));
  throw new TypeError('JSON cannot represent the value.');
}
