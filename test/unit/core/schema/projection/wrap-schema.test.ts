import { describe, expect, it } from 'vitest';
import { wrapSchema } from '../../../../../src/core/schema/projection/wrap-schema.ts';

describe('a schema that is put under a key of an object', () => {
  it('is required there, and its definitions stay those of the document', () => {
    const leaf = { type: 'string' };
    expect(
      wrapSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/definitions/b' }],
        $defs: { a: leaf },
        definitions: { b: { $ref: '#/$defs/a' } },
      }),
    ).toEqual({
      type: 'object',
      properties: { value: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/definitions/b' }] } },
      required: ['value'],
      additionalProperties: false,
      $defs: { a: leaf },
      definitions: { b: { $ref: '#/$defs/a' } },
    });
  });

  it('takes its references along, those to the whole and to a place in it', () => {
    const { properties, $defs } = wrapSchema({
      type: 'array',
      items: { anyOf: [{ $ref: '#' }, { $ref: '#/items/anyOf/2' }, { $ref: '#named' }] },
      $defs: { list: { items: { $ref: '#' } } },
    });
    expect(properties).toEqual({
      value: {
        type: 'array',
        items: {
          anyOf: [
            { $ref: '#/properties/value' },
            { $ref: '#/properties/value/items/anyOf/2' },
            { $ref: '#named' },
          ],
        },
      },
    });
    expect($defs).toEqual({ list: { items: { $ref: '#/properties/value' } } });
  });

  it('keeps its data, and properties that have the names of keywords', () => {
    const schema = {
      type: 'object',
      properties: { const: { $ref: '#/properties/$ref' }, $ref: { enum: [{ $ref: '#' }] } },
      default: { $ref: '#' },
    };
    expect(wrapSchema(schema)['properties']).toEqual({
      value: {
        ...schema,
        properties: {
          const: { $ref: '#/properties/value/properties/$ref' },
          $ref: { enum: [{ $ref: '#' }] },
        },
      },
    });
  });
});
