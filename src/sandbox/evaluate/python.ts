import { describeError } from '../../error/index.ts';
import type { CallFiles } from './call-files.ts';
import type { EvaluationReply, EvaluationRequest } from './protocol.ts';

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

const MAX_ALLOCATIONS = 50_000_000;
const MAX_RECURSION = 200;

/** Runs Python. The limits are those of the engine: some operations ignore them, and the session kills the process. */
export function evaluatePython(engine: Monty, request: EvaluationRequest, files: CallFiles): EvaluationReply {
  const inputs = Object.fromEntries([...request.inputs, ['files', Object.fromEntries(request.files)]]);
  try {
    const program = new engine.Monty(request.code, { scriptName: 'code.py', inputs: Object.keys(inputs) });
    const value = program.run({
      inputs,
      limits: {
        maxDurationSecs: request.timeoutMs / 1000,
        maxMemory: request.maxMemoryBytes,
        maxAllocations: MAX_ALLOCATIONS,
        maxRecursionDepth: MAX_RECURSION,
      },
      printCallback: (_stream, text) => files.print(text),
      externalFunctions: {
        read_text: (path) => files.read(String(path)),
        write_text: (path, text) => {
          files.write(String(path), String(text));
          return null;
        },
      },
    });
    return { ...describeValue(value), stdout: files.stdout, writes: files.written };
  } catch (error) {
    return { error: traceback(error), kind: 'none', value: '', stdout: files.stdout, writes: [] };
  }
}

function traceback(error: unknown): string {
  // Errors of the engine have a method for the text that Python would print.
  const { display } = error as { readonly display?: (format: string) => string };
  return typeof display === 'function' ? display.call(error, 'traceback') : describeError(error);
}

function describeValue(value: unknown): Pick<EvaluationReply, 'kind' | 'value'> {
  if (value === null || value === undefined) return { kind: 'none', value: '' };
  try {
    return { kind: 'json', value: JSON.stringify(plain(value)) };
  } catch {
    return { kind: 'text', value: textOf(value) };
  }
}

/** As much as `String` says of it; objects of the engine have no other text. */
function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value);
}

/** @throws {TypeError} for what JSON has no form for. */
function plain(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  // Markers of the engine for tuples and the like are arrays with a property, which JSON leaves out.
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map && [...value.keys()].every((key) => typeof key === 'string'))
    return Object.fromEntries([...value].map(([key, entry]) => [key, plain(entry)]));
  throw new TypeError('JSON has no form for the value.');
}
