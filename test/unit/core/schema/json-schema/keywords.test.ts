import { describe, expect, it } from 'vitest';
import { keywords } from '../../../../../src/core/schema/json-schema/keywords.ts';

/** The vocabularies of draft 2020-12, and what earlier drafts had in their place. */
const vocabularies = {
  core: [
    '$schema',
    '$id',
    '$anchor',
    '$dynamicAnchor',
    '$ref',
    '$dynamicRef',
    '$vocabulary',
    '$comment',
    '$defs',
  ],
  applicators: [
    ...['prefixItems', 'items', 'contains', 'additionalProperties', 'properties', 'patternProperties'],
    ...['dependentSchemas', 'propertyNames', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'not'],
  ],
  unevaluated: ['unevaluatedItems', 'unevaluatedProperties'],
  validation: [
    ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
    ...[
      'maxLength',
      'minLength',
      'pattern',
      'maxItems',
      'minItems',
      'uniqueItems',
      'maxContains',
      'minContains',
    ],
    ...['maxProperties', 'minProperties', 'required', 'dependentRequired', 'format'],
  ],
  metadata: ['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples'],
  content: ['contentEncoding', 'contentMediaType', 'contentSchema'],
  earlier: ['definitions', 'dependencies', 'additionalItems', '$recursiveRef', '$recursiveAnchor'],
};

describe('the table of keywords', () => {
  it('has every keyword of the drafts, and no other', () => {
    expect([...keywords.keys()].sort()).toEqual(Object.values(vocabularies).flat().sort());
  });

  it('distinguishes annotations from assertions', () => {
    const annotations = [...keywords].filter(([, { role }]) => role === 'annotation').map(([name]) => name);
    expect(annotations.sort()).toEqual([...vocabularies.metadata].sort());
  });

  it.each([
    [
      'array',
      [
        'items',
        'prefixItems',
        'additionalItems',
        'contains',
        'minContains',
        'maxContains',
        'unevaluatedItems',
      ],
    ],
    ['string', ['contentEncoding', 'contentMediaType', 'contentSchema', 'format', 'pattern']],
    ['object', ['dependentRequired', 'dependentSchemas', 'dependencies', 'propertyNames', 'required']],
  ])('knows what speaks of a value of type %s only', (type, names) => {
    expect(names.map((name) => keywords.get(name)?.types)).toEqual(names.map(() => [type]));
  });
});
