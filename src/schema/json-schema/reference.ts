import { isSchemaObject, type JsonSchema } from './json-schema.ts';

/** Finds what a `$ref` within `root` points to; undefined when nothing is there. */
export type ReferenceResolver = (reference: string) => JsonSchema | boolean | undefined;

/** Resolves JSON pointers (`#/$defs/node`), `#`, anchors (`#name`) and `$id`s within one document. */
export function createReferenceResolver(root: JsonSchema): ReferenceResolver {
  let named: ReadonlyMap<string, JsonSchema> | undefined;
  return (reference) => {
    if (reference === '#' || reference === '') return root;
    if (reference.startsWith('#/')) return followPointer(root, reference.slice(2));
    named ??= collectNames(root);
    return named.get(reference);
  };
}

function followPointer(root: JsonSchema, pointer: string): JsonSchema | boolean | undefined {
  let place: unknown = root;
  for (const step of pointer.split('/')) {
    const key = decodeStep(step);
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
    place = Reflect.get(place, key);
  }
  return isSchemaObject(place) || typeof place === 'boolean' ? place : undefined;
}

function decodeStep(step: string): string {
  const unescaped = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

function collectNames(root: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const named = new Map<string, JsonSchema>();
  const pending: unknown[] = [root];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (Array.isArray(place)) pending.push(...place);
    else if (isSchemaObject(place)) {
      const { $anchor, $dynamicAnchor, $id } = place;
      for (const anchor of [$anchor, $dynamicAnchor]) {
        if (typeof anchor === 'string') named.set(`#${anchor}`, place);
      }
      if (typeof $id === 'string') named.set($id, place);
      pending.push(...Object.values(place));
    }
  }
  return named;
}
