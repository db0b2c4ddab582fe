import { isSchemaObject, type JsonSchema } from './json-schema.ts';
import { forEachSchema } from './keywords.ts';

/**
 * Finds what a reference within a document points to; undefined when nothing is there.
 *
 * @param from the schema that contains the reference, which matters where a part of the document has an `$id` of its own; absent: the
 * document.
 */
export type ReferenceResolver = (reference: string, from?: JsonSchema) => JsonSchema | boolean | undefined;

/** The document, or a part of it that has an `$id` of its own: references within it are relative to it. */
interface Resource {
  readonly root: JsonSchema;
  readonly uri: string;
  readonly anchors: Map<string, JsonSchema>;
}

/** The name of the document where it has no `$id`. */
const unnamed = 'schema:///';

/** Resolves JSON pointers (`#/$defs/node`), `#`, anchors (`#name`) and `$id`s within one document. */
export function createReferenceResolver(root: JsonSchema): ReferenceResolver {
  let index: ResourceIndex | undefined;
  return (reference, from = root) => {
    if (from === root && (reference === '#' || reference === '')) return root;
    if (from === root && reference.startsWith('#/')) return followPointer(root, reference.slice(2));
    return (index ??= new ResourceIndex(root)).resolve(reference, from);
  };
}

/**
 * What a `$dynamicRef` or `$recursiveRef` points to. Every validation begins at the document, so it is the outermost scope: where it has
 * the anchor as well, the reference points there.
 */
export function resolveDynamic(
  resolve: ReferenceResolver,
  reference: string,
  from: JsonSchema,
): JsonSchema | boolean | undefined {
  const target = resolve(reference, from);
  const outermost = resolve(reference.slice(Math.max(reference.indexOf('#'), 0)));
  const isDynamic = (place: unknown): boolean =>
    isSchemaObject(place) &&
    (place['$recursiveAnchor'] === true || place['$dynamicAnchor'] === splitFragment(reference)[1]);
  return isDynamic(target) && isDynamic(outermost) ? outermost : target;
}

class ResourceIndex {
  readonly #document: Resource;
  readonly #byUri = new Map<string, Resource>();
  readonly #homes = new Map<JsonSchema, Resource>();

  constructor(root: JsonSchema) {
    this.#document = this.#add(root, unnamed);
    forEachSchema(root, (schema, holder) => this.#read(schema, holder));
  }

  resolve(reference: string, from: JsonSchema): JsonSchema | boolean | undefined {
    const home = this.#homes.get(from) ?? this.#document;
    const [uri, fragment] = splitFragment(reference);
    const resource = uri === '' ? home : this.#byUri.get(absolute(uri, home.uri));
    if (fragment === '') return resource?.root;
    return fragment.startsWith('/')
      ? resource && followPointer(resource.root, fragment.slice(1))
      : resource?.anchors.get(fragment);
  }

  #read(schema: JsonSchema, holder: JsonSchema): void {
    const outer = this.#homes.get(holder) ?? this.#document;
    const { $id, $anchor, $dynamicAnchor } = schema;
    const [uri = '', fragment = ''] = typeof $id === 'string' ? splitFragment($id) : [];
    const home =
      uri === '' || schema === this.#document.root ? outer : this.#add(schema, absolute(uri, outer.uri));
    this.#homes.set(schema, home);
    // An `$id` that is a fragment was what `$anchor` is now.
    for (const anchor of [$anchor, $dynamicAnchor, fragment]) {
      if (typeof anchor === 'string' && anchor !== '') home.anchors.set(anchor, schema);
    }
  }

  #add(root: JsonSchema, base: string): Resource {
    const { $id } = root;
    const [own = ''] = typeof $id === 'string' ? splitFragment($id) : [];
    const resource = { root, uri: absolute(own, base), anchors: new Map<string, JsonSchema>() };
    if (!this.#byUri.has(resource.uri)) this.#byUri.set(resource.uri, resource);
    return resource;
  }
}

function splitFragment(reference: string): readonly [uri: string, fragment: string] {
  const at = reference.indexOf('#');
  return at === -1 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)];
}

function absolute(uri: string, base: string): string {
  try {
    return new URL(uri, base).href;
  } catch {
    return uri;
  }
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
