import { WinkError } from '../../error/index.ts';
import { isPlainObject, readUnrounded } from '../../internal/index.ts';
import { PromptEvaluationError } from '../events/prompt-evaluation-error.ts';
import { isDataField, isVocabularyValue } from './event-vocabulary.ts';

/** Values may be nested this deep. */
const maxDepth = 1_000;

/** Fields of the library's own errors that programs read. */
const errorWords: ReadonlySet<PropertyKey> = new Set(['code', 'kind', 'name', 'phase']);

/** How a class writes its instances itself; a copy has only what was visited. */
const ownWriters: readonly PropertyKey[] = ['toJSON', Symbol.for('nodejs.util.inspect.custom')];

/** One copy of one value, without what must not leave. */
export class RedactionWalk {
  readonly #text: (text: string) => string;
  readonly #isKept: (value: object) => boolean;
  /** Copies of visited values, or their placeholders while they are being copied. */
  readonly #copies = { data: new Map<object, unknown>(), record: new Map<object, unknown>() };
  readonly #errors = new Map<Error, Error>();
  #depth = 0;
  /** Grows with everything that is not copied as it is. */
  #alterations = 0;

  /**
   * @param text makes a text fit to leave. Must not throw.
   * @param isKept true for what was copied before and is passed on.
   */
  constructor(text: (text: string) => string, isKept: (value: object) => boolean) {
    this.#text = text;
    this.#isKept = isKept;
  }

  data(value: unknown): unknown {
    return this.#visit(value, 'data');
  }

  record<T extends object>(record: T): T {
    // The same keys with values of the same kinds.
    return this.#visit(record, 'record') as T;
  }

  thrown(thrown: unknown): unknown {
    if (isError(thrown)) return this.#error(thrown);
    const before = this.#alterations;
    const copy = this.data(thrown);
    return this.#alterations === before ? thrown : copy;
  }

  #visit(value: unknown, mode: 'data' | 'record'): unknown {
    if (typeof value === 'string') return this.#altered(value, this.#text(value));
    if (typeof value === 'function' || typeof value === 'symbol') return this.#altered(value, undefined);
    if (typeof value !== 'object' || value === null || this.#isKept(value)) return value;
    if (isError(value)) return this.#error(value);
    const copies = this.#copies[mode];
    if (copies.has(value)) return copies.get(value);
    if (this.#depth >= maxDepth) return this.#altered(value, '<nested too deep>');
    copies.set(value, '<circular>');
    this.#depth += 1;
    let copy: unknown;
    try {
      copy = this.#object(value, mode);
    } catch {
      copy = this.#altered(value, '<unreadable>');
    }
    this.#depth -= 1;
    copies.set(value, copy);
    return copy;
  }

  #object(value: object, mode: 'data' | 'record'): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => this.#visit(item, mode));
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      return this.#altered(value, `<${value.byteLength} bytes>`);
    }
    if (!isPlainObject(value)) {
      this.#alterations += 1;
      // A date, a URL: what JSON would make of it.
      if ('toJSON' in value && typeof value.toJSON === 'function') return this.#visit(value.toJSON(), mode);
    }
    return Object.fromEntries(Object.entries(value).map((entry) => this.#entry(entry, mode)));
  }

  #entry([key, value]: [string, unknown], mode: 'data' | 'record'): [string, unknown] {
    if (mode === 'data') return [this.#altered(key, this.#text(key)), this.#visit(value, mode)];
    if (isDataField(key)) return [key, this.#visit(value, 'data')];
    if (typeof value !== 'string') return [key, this.#visit(value, mode)];
    if (isVocabularyValue(key, value)) return [key, value];
    return [key, key === 'arguments' ? this.#argumentText(value) : this.#altered(value, this.#text(value))];
  }

  /** The arguments of a call are JSON text, in which a text may be written in many ways. */
  #argumentText(text: string): string {
    const parsed = readUnrounded(text);
    if (parsed === undefined) return this.#altered(text, this.#text(text));
    const before = this.#alterations;
    const redacted = this.data(parsed);
    return this.#text(this.#alterations === before ? text : JSON.stringify(redacted));
  }

  #error(error: Error): Error {
    const known = this.#errors.get(error);
    if (known !== undefined) return this.#altered(error, known);
    const before = this.#alterations;
    let copy = new Error('<unreadable>');
    try {
      copy = emptyCopy(error);
      this.#errors.set(error, copy);
      this.#fill(copy, error);
      // Last: what a class has on its prototype may refuse to look into a copy that is not filled.
      if (!PromptEvaluationError.isInstance(copy)) Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
    } catch {
      this.#alterations += 1;
    }
    const result = this.#alterations === before ? error : copy;
    this.#errors.set(error, result);
    return result;
  }

  #fill(copy: Error, error: Error): void {
    const isOurs = WinkError.isInstance(error);
    const keep = (key: PropertyKey, value: unknown, enumerable: boolean): void => {
      const redacted = isOurs && errorWords.has(key) ? value : this.#visit(value, 'data');
      // Fields that can be listed are named by the author of the error.
      const named =
        isOurs || !enumerable || typeof key !== 'string' ? key : this.#altered(key, this.#text(key));
      Object.defineProperty(copy, named, { value: redacted, enumerable, writable: true, configurable: true });
    };
    for (const key of Reflect.ownKeys(error)) {
      // The mark of an error of the library is there already.
      if (typeof key === 'symbol' && Object.hasOwn(copy, key)) continue;
      const isEnumerable = Object.prototype.propertyIsEnumerable.call(error, key);
      keep(key, Reflect.get(error, key), isEnumerable);
    }
    // Some classes have them on their prototype, where they look into the instance.
    for (const key of ['name', 'message', 'stack'] as const) {
      if (!Object.hasOwn(error, key)) keep(key, error[key], false);
    }
    for (const key of ownWriters) {
      if (typeof Reflect.get(error, key) !== 'function') continue;
      this.#alterations += 1;
      Object.defineProperty(copy, key, { value: undefined, enumerable: false });
    }
  }

  #altered<T>(value: unknown, instead: T): T {
    if (value !== instead) this.#alterations += 1;
    return instead;
  }
}

/** What becomes the copy of an error. What is private to a class is lost, but for the conversation of an evaluation. */
function emptyCopy(error: Error): Error {
  if (PromptEvaluationError.isInstance(error)) {
    const { code, phase, promptName, conversation, usage } = error;
    return new PromptEvaluationError(code, '', { phase, promptName, conversation, usage });
  }
  return new Error('');
}

function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}
