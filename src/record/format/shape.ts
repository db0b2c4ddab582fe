import { isRecord } from '../../core/internal/index.ts';

/** Checks a value as far as code relies on it. Returns where it first differs, such as `writes[0].slice`; undefined when it does not. */
export type Shape = (value: unknown, path: string) => string | undefined;

/** Members by name; one whose name ends in `?` may be absent. Other members may be anything. */
type Members = Readonly<Record<string, Shape>>;

export const string: Shape = ofType('string');
export const number: Shape = ofType('number');
export const boolean: Shape = ofType('boolean');

/** Anything, but it is there. */
export const json: Shape = (value, path) => (value === undefined ? path : undefined);

function ofType(type: string): Shape {
  return (value, path) => (typeof value === type ? undefined : path);
}

/** A list whose items all have this shape. */
export function list(shape: Shape): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return path;
    for (const [index, item] of value.entries()) {
      const fault = shape(item, `${path}[${index}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** An object with these members. */
export function object(members: Members = {}): Shape {
  return (value, path) => {
    if (!isRecord(value)) return path;
    for (const [key, shape] of Object.entries(members)) {
      const name = key.replace('?', '');
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      if (member === undefined && name !== key) continue;
      const fault = shape(member, path === '' ? name : `${path}.${name}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** An object whose shape depends on the text of one member; `others`: where that has no shape. */
export function choice(by: string, shapes: Members, others: Shape = (_value, path) => path): Shape {
  return (value, path) => {
    if (!isRecord(value)) return path;
    const name = Object.hasOwn(value, by) ? value[by] : undefined;
    if (typeof name !== 'string') return `${path}.${by}`;
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    return (shape ?? others)(value, path);
  };
}
