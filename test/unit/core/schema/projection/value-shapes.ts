import type { JsonSchema } from 'weakincentives';
import { advice, closed, described, inEach, type Shape, shape, strict, text } from './shape.ts';

const list = (more: JsonSchema): JsonSchema => ({ type: 'array', items: text, ...more });

/** Shapes of single values, of lists and of objects. */
export const valueShapes: readonly Shape[] = [
  shape(
    'a closed object with every property required',
    closed({ a: text, b: { type: 'boolean' } }),
    [{ a: 'x', b: true }],
    inEach(strict()),
  ),
  shape('an object without keys', closed({}), [{}], inEach(strict())),
  shape('enum with its type', { type: 'string', enum: ['a', 'b'] }, ['a'], {
    openai: strict(),
    anthropic: strict({ enum: ['a', 'b'] }),
    'ai-sdk': strict(),
  }),
  shape('enum without a type', { enum: ['a', 1] }, ['a', 1], {
    openai: strict({ type: ['string', 'number'], enum: ['a', 1] }),
    anthropic: strict(),
    'ai-sdk': strict({
      anyOf: [
        { type: 'string', enum: ['a'] },
        { type: 'number', enum: [1] },
      ],
    }),
  }),
  shape('enum narrower than it looks', { type: 'string', enum: ['a', 1] }, ['a'], {
    openai: strict(),
    anthropic: strict({ enum: ['a'] }),
    'ai-sdk': strict(),
  }),
  shape('enum without a value of each type', { type: ['string', 'number'], enum: ['a'] }, ['a'], {
    openai: strict(),
    anthropic: strict({ enum: ['a'] }),
    'ai-sdk': strict({ type: 'string', enum: ['a'] }),
  }),
  shape(
    'enum of lists',
    { type: 'array', items: text, enum: [['a']] },
    [['a']],
    {
      openai: strict(),
      anthropic: strict(list({ description: described(['enum', [['a']]]) }), 'enum'),
      'ai-sdk': advice('enum'),
    },
    { broken: ['b'] },
  ),
  shape('const', { const: 'a' }, ['a'], {
    openai: strict({ type: 'string', const: 'a' }),
    anthropic: strict(),
    'ai-sdk': strict({ type: 'string', const: 'a' }),
  }),
  shape(
    'minLength and maxLength',
    { type: 'string', minLength: 1, maxLength: 3 },
    ['abc'],
    {
      openai: strict(),
      anthropic: strict(
        { type: 'string', description: described(['minLength', 1], ['maxLength', 3]) },
        'minLength',
        'maxLength',
      ),
      'ai-sdk': advice('minLength', 'maxLength'),
    },
    { broken: 'abcd' },
  ),
  shape(
    'pattern',
    { type: 'string', pattern: '^[a-z]+$' },
    ['abc'],
    {
      openai: strict(),
      anthropic: strict({ type: 'string', description: described(['pattern', '^[a-z]+$']) }, 'pattern'),
      'ai-sdk': advice('pattern'),
    },
    { broken: '1' },
  ),
  shape(
    'pattern that looks around',
    { type: 'string', pattern: '^(?!a)' },
    ['b'],
    {
      openai: strict({ type: 'string', description: described(['pattern', '^(?!a)']) }, 'pattern'),
      anthropic: strict({ type: 'string', description: described(['pattern', '^(?!a)']) }, 'pattern'),
      'ai-sdk': advice('pattern'),
    },
    { broken: 'a' },
  ),
  shape('format: date', { type: 'string', format: 'date' }, ['2026-11-22'], inEach(strict())),
  shape('format: uri', { type: 'string', format: 'uri' }, ['https://example.com/'], {
    openai: strict({ type: 'string', description: described(['format', 'uri']) }, 'format'),
    anthropic: strict(),
    'ai-sdk': advice('format'),
  }),
  shape('format of no standard', { type: 'string', format: 'color' }, ['red'], {
    openai: strict({ type: 'string', description: described(['format', 'color']) }, 'format'),
    anthropic: strict({ type: 'string', description: described(['format', 'color']) }, 'format'),
    'ai-sdk': advice('format'),
  }),
  shape(
    'minimum and exclusiveMaximum',
    { type: 'number', minimum: 0, exclusiveMaximum: 9 },
    [0, 8.5],
    {
      openai: strict(),
      anthropic: strict(
        { type: 'number', description: described(['minimum', 0], ['exclusiveMaximum', 9]) },
        'minimum',
        'exclusiveMaximum',
      ),
      'ai-sdk': advice('minimum', 'exclusiveMaximum'),
    },
    { broken: 9 },
  ),
  shape(
    'bounds of what a number can hold exactly',
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    [5],
    { openai: strict(), anthropic: strict({ type: 'integer' }), 'ai-sdk': strict({ type: 'integer' }) },
  ),
  shape(
    'multipleOf',
    { type: 'integer', multipleOf: 5 },
    [10],
    {
      openai: strict(),
      anthropic: strict({ type: 'integer', description: described(['multipleOf', 5]) }, 'multipleOf'),
      'ai-sdk': advice('multipleOf'),
    },
    { broken: 11 },
  ),
  shape(
    'minItems 1 and maxItems',
    list({ minItems: 1, maxItems: 2 }),
    [['a'], ['a', 'b']],
    {
      openai: strict(),
      anthropic: strict(list({ minItems: 1, description: described(['maxItems', 2]) }), 'maxItems'),
      'ai-sdk': advice('maxItems'),
    },
    { broken: ['a', 'b', 'c'] },
  ),
  shape(
    'minItems over 1',
    list({ minItems: 2 }),
    [['a', 'b']],
    {
      openai: strict(),
      anthropic: strict(list({ description: described(['minItems', 2]) }), 'minItems'),
      'ai-sdk': advice('minItems'),
    },
    { broken: ['a'] },
  ),
  shape(
    'title, description and examples',
    { type: 'string', title: 'T', description: 'D.', examples: ['e'] },
    ['x'],
    {
      openai: strict(),
      anthropic: strict({ type: 'string', title: 'T', description: 'D. Examples: ["e"].' }),
      'ai-sdk': strict({ type: 'string', title: 'T', description: 'D. Examples: ["e"].' }),
    },
  ),
  shape(
    'an object that does not say whether it takes further keys, which we close',
    { type: 'object', properties: { a: text }, required: ['a'] },
    [{ a: 'x' }],
    inEach(strict(closed({ a: text }))),
    { broken: { a: 'x', b: 'y' } },
  ),
  shape(
    'additionalProperties: true',
    { type: 'object', additionalProperties: true },
    [{}, { any: 1 }],
    inEach(advice('additionalProperties')),
  ),
  shape(
    'a map',
    { type: 'object', additionalProperties: text },
    [{ any: 'x' }],
    inEach(advice('additionalProperties')),
    { broken: { any: 1 } },
  ),
  shape(
    'uniqueItems',
    list({ uniqueItems: true }),
    [['a', 'b']],
    {
      openai: strict(list({ description: described(['uniqueItems', true]) }), 'uniqueItems'),
      anthropic: strict(list({ description: described(['uniqueItems', true]) }), 'uniqueItems'),
      'ai-sdk': advice('uniqueItems'),
    },
    { broken: ['a', 'a'] },
  ),
  shape('uniqueItems: false', list({ uniqueItems: false }), [['a', 'a']], inEach(strict(list({})))),
  shape(
    'contains',
    list({ contains: { const: 'a' } }),
    [['a', 'b']],
    {
      openai: strict(list({ description: described(['contains', { const: 'a' }]) }), 'contains'),
      anthropic: strict(list({ description: described(['contains', { const: 'a' }]) }), 'contains'),
      'ai-sdk': advice('contains'),
    },
    { broken: ['b'] },
  ),
  shape(
    'a tuple',
    { type: 'array', prefixItems: [text, { type: 'number' }], items: false },
    [['a', 1]],
    inEach(advice('prefixItems')),
    { broken: [1, 'a'] },
  ),
  shape('a list without items', { type: 'array' }, [[1, 'a']], inEach(advice('/items type'))),
  shape('anything', {}, [1, 'a', null, [{}]], inEach(advice('type'))),
  shape(
    'patternProperties',
    { ...closed({}), patternProperties: { '^x': text } },
    [{ x1: 'a' }],
    inEach(advice('patternProperties')),
    { broken: { x1: 1 } },
  ),
  shape(
    'propertyNames',
    { ...closed({ a: text, b: text }), propertyNames: { maxLength: 1 } },
    [{ a: 'x', b: 'y' }],
    {
      openai: strict(
        { ...closed({ a: text, b: text }), description: described(['propertyNames', { maxLength: 1 }]) },
        'propertyNames',
      ),
      anthropic: strict(
        { ...closed({ a: text, b: text }), description: described(['propertyNames', { maxLength: 1 }]) },
        'propertyNames',
      ),
      'ai-sdk': advice('propertyNames'),
    },
  ),
  shape(
    'minProperties and maxProperties',
    { ...closed({ a: text }), minProperties: 1, maxProperties: 1 },
    [{ a: 'x' }],
    {
      openai: strict(
        { ...closed({ a: text }), description: described(['minProperties', 1], ['maxProperties', 1]) },
        'minProperties',
        'maxProperties',
      ),
      anthropic: strict(
        { ...closed({ a: text }), description: described(['minProperties', 1], ['maxProperties', 1]) },
        'minProperties',
        'maxProperties',
      ),
      'ai-sdk': advice('minProperties', 'maxProperties'),
    },
  ),
  shape(
    'not',
    { type: 'string', not: { const: 'a' } },
    ['b'],
    {
      openai: strict({ type: 'string', description: described(['not', { const: 'a' }]) }, 'not'),
      anthropic: strict({ type: 'string', description: described(['not', { const: 'a' }]) }, 'not'),
      'ai-sdk': advice('not'),
    },
    { broken: 'a' },
  ),
  shape(
    'if and then',
    { type: 'string', if: { minLength: 2 }, then: { maxLength: 3 } },
    ['a', 'abc'],
    {
      openai: strict(
        { type: 'string', description: described(['if', { minLength: 2 }], ['then', { maxLength: 3 }]) },
        'if',
        'then',
      ),
      anthropic: strict(
        { type: 'string', description: described(['if', { minLength: 2 }], ['then', { maxLength: 3 }]) },
        'if',
        'then',
      ),
      'ai-sdk': advice('if', 'then'),
    },
    { broken: 'abcd' },
  ),
  shape(
    'dependentRequired',
    { ...closed({ a: text, b: text }, []), dependentRequired: { a: ['b'] } },
    [],
    {
      openai: strict(
        {
          ...closed({
            a: { type: ['string', 'null'], description: 'null: not given.' },
            b: { type: ['string', 'null'], description: 'null: not given.' },
          }),
          description: described(['dependentRequired', { a: ['b'] }]),
        },
        'dependentRequired',
      ),
      anthropic: strict(
        {
          ...closed({ a: text, b: text }, []),
          description: described(['dependentRequired', { a: ['b'] }]),
        },
        'dependentRequired',
      ),
      'ai-sdk': advice('dependentRequired', '/properties/a required', '/properties/b required'),
    },
    { samples: [{ value: { b: 'x' }, written: { a: null, b: 'x' } }], broken: { a: 'x' } },
  ),
  shape(
    'unevaluatedProperties beside a condition',
    {
      type: 'object',
      properties: { a: text },
      required: ['a'],
      if: { required: ['a'] },
      unevaluatedProperties: false,
    },
    [{ a: 'x' }],
    {
      openai: advice('unevaluatedProperties'),
      anthropic: advice('unevaluatedProperties'),
      'ai-sdk': advice('if', 'unevaluatedProperties'),
    },
    { broken: { a: 'x', b: 1 } },
  ),
  shape('unevaluatedItems', list({ unevaluatedItems: false }), [['a']], {
    openai: strict(list({ description: described(['unevaluatedItems', false]) }), 'unevaluatedItems'),
    anthropic: strict(list({ description: described(['unevaluatedItems', false]) }), 'unevaluatedItems'),
    'ai-sdk': advice('unevaluatedItems'),
  }),
];
