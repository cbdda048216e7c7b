import {
  DuckDBInstance,
  DuckDBIntegerVector,
  type DuckDBConnection,
  type DuckDBDataChunk,
} from '@duckdb/node-api';
import type { Condition } from '#core/query/ast.ts';
import { bucketsOf, type Engine, type Question } from './engine.ts';

/** A word's place is its Post's number times this, plus its position. */
const PLACES = 64;

/**
 * Tables: Posts; the vocabulary; a row per term and Post; a row per place of a word. The last two are sorted
 * by term. Their rows repeat the columns of the Post that counting needs, so that no query joins the Posts.
 */
const TABLES = (files: string): string => `
  CREATE TABLE post AS
    SELECT (row_number() OVER () - 1)::INTEGER AS n, (epoch_ms(created_at) // 1000)::INTEGER AS second,
      id, author, text, lang, is_retweet
    FROM read_csv([${files}], header = true, columns = {'id': 'BIGINT', 'created_at': 'TIMESTAMP',
      'author': 'VARCHAR', 'text': 'VARCHAR', 'lang': 'VARCHAR', 'is_retweet': 'BOOLEAN'});
  CREATE TEMP TABLE place AS
    SELECT unnest(words) AS word, n * ${PLACES} + generate_subscripts(words, 1)::INTEGER AS place,
      n, second, lang, is_retweet
    FROM (SELECT string_split(text, ' ') AS words, * FROM post);
  CREATE TABLE term AS
    SELECT row_number() OVER (ORDER BY posts DESC, word)::INTEGER AS term, word, posts::INTEGER AS posts
    FROM (
      SELECT word, count(DISTINCT n) AS posts FROM place GROUP BY word
      UNION ALL SELECT 'from:' || author, count(*) FROM post GROUP BY author);
  CREATE TABLE posting AS
    SELECT DISTINCT term, n, second, lang, is_retweet FROM (
      SELECT word, n, second, lang, is_retweet FROM place
      UNION ALL SELECT 'from:' || author, n, second, lang, is_retweet FROM post)
    JOIN term USING (word) ORDER BY term, n;
  CREATE TABLE spot AS
    SELECT term, place, n, second, lang, is_retweet FROM place JOIN term USING (word)
    ORDER BY term, place;
  DROP TABLE place;
  CHECKPOINT;`;

/**
 * Builds the tables from the files of Posts.
 *
 * @param scratch - Folder for data that does not fit into memory.
 */
export async function buildDuckdb(
  file: string,
  posts: readonly string[],
  scratch: string,
): Promise<void> {
  const instance = await DuckDBInstance.create(file, { temp_directory: scratch });
  const connection = await instance.connect();
  const names = posts.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ');
  for (const statement of TABLES(names).split(';')) {
    if (statement.trim() !== '') await connection.run(statement);
  }
  connection.closeSync();
  instance.closeSync();
}

interface Term {
  readonly id: number;
  readonly posts: number;
}

/** A condition as a filter on a column; null if it is not one. */
function filterOf(condition: Condition): string | null {
  if (condition.kind === 'not') {
    const inner = filterOf(condition.of);
    return inner === null ? null : `NOT ${inner}`;
  }
  if (condition.kind !== 'term') return null;
  const { term } = condition;
  if (term === 'is:retweet') return 'is_retweet';
  return term.startsWith('lang:') ? `lang = '${term.slice(5)}'` : null;
}

/** Writes conditions as queries that return `n` and `second` of each Post once. */
class Sql {
  readonly #terms: ReadonlyMap<string, Term>;
  readonly #within: string;

  constructor(terms: ReadonlyMap<string, Term>, { span }: Question) {
    this.#terms = terms;
    this.#within = `second >= ${span.start / 1000} AND second < ${span.end / 1000}`;
  }

  #term(word: string): Term {
    const term = this.#terms.get(word);
    if (!term) throw new RangeError(`expected a term of the Posts, got ${word}`);
    return term;
  }

  /** Estimates how many Posts meet a condition: an intersection scans the larger side and hashes the smaller. */
  #posts(condition: Condition): number {
    switch (condition.kind) {
      case 'term':
        return this.#term(condition.term).posts;
      case 'phrase':
        return Math.min(...condition.tokens.map((token) => this.#term(token).posts)) / 2;
      case 'any':
        return condition.of.reduce((sum, part) => sum + this.#posts(part), 0);
      default:
        return Infinity;
    }
  }

  rows(condition: Condition, filters: readonly string[] = []): string {
    const where = [this.#within, ...filters].join(' AND ');
    const own = filterOf(condition);
    if (own !== null) return `SELECT n, second FROM post WHERE ${where} AND ${own}`;
    switch (condition.kind) {
      case 'term':
        return `SELECT n, second FROM posting WHERE term = ${this.#term(condition.term).id} AND ${where}`;
      case 'phrase':
        return this.#phrase(condition.tokens, where);
      case 'any': {
        const terms = condition.of.flatMap((part) =>
          part.kind === 'term' && filterOf(part) === null ? [this.#term(part.term).id] : [],
        );
        if (terms.length === condition.of.length) {
          return `SELECT DISTINCT n, second FROM posting WHERE term IN (${terms.join(', ')}) AND ${where}`;
        }
        return condition.of.map((part) => this.rows(part, filters)).join(' UNION ');
      }
      case 'all':
        return this.#all(condition.of, filters);
      default:
        throw new RangeError(`expected a condition that SQL can express, got ${condition.kind}`);
    }
  }

  #phrase(tokens: readonly string[], where: string): string {
    const spots = tokens.map((token, offset) => ({ ...this.#term(token), offset }));
    spots.sort((a, b) => b.posts - a.posts);
    const [most, ...others] = spots;
    const joins = others.map(({ id, offset }) => {
      const shift = offset - (most?.offset ?? 0);
      return ` AND place + ${shift} IN (SELECT place FROM spot WHERE term = ${id} AND ${where})`;
    });
    return `SELECT DISTINCT n, second FROM spot WHERE term = ${most?.id} AND ${where}${joins.join('')}`;
  }

  #all(parts: readonly Condition[], filters: readonly string[]): string {
    const columns = parts.map(filterOf).filter((filter) => filter !== null);
    const all = [...filters, ...columns];
    const rest = parts.filter((part) => filterOf(part) === null);
    const excluded = rest.filter((part) => part.kind === 'not').map((part) => part.of);
    const wanted = rest.filter((part) => part.kind !== 'not');
    wanted.sort((a, b) => this.#posts(b) - this.#posts(a));
    const [most, ...others] = wanted;
    if (!most) throw new RangeError('expected a condition with something to find, got none');
    const tests = [
      ...others.map((part) => `n IN (SELECT n FROM (${this.rows(part, all)}))`),
      ...excluded.map((part) => `n NOT IN (SELECT n FROM (${this.rows(part, all)}))`),
    ];
    const rows = this.rows(most, all);
    return tests.length === 0 ? rows : `SELECT * FROM (${rows}) WHERE ${tests.join(' AND ')}`;
  }
}

/** A column of integers, read without a copy. */
function integers(chunk: DuckDBDataChunk, column: number): DuckDBIntegerVector {
  const vector = chunk.getColumnVector(column);
  if (vector instanceof DuckDBIntegerVector) return vector;
  throw new TypeError(`expected a column of integers, got ${vector.type.toString()}`);
}

async function vocabulary(connection: DuckDBConnection): Promise<Map<string, Term>> {
  const reader = await connection.runAndReadAll('SELECT word, term, posts FROM term');
  return new Map(
    reader.getRows().map(([word, id, posts]) => {
      return [String(word), { id: Number(id), posts: Number(posts) }];
    }),
  );
}

/**
 * DuckDB over postings sorted by term, with all its threads. Terms are looked up and statements prepared
 * before the timing; languages and reposts are column filters; results are read without a copy.
 */
export async function duckdb(file: string): Promise<Engine> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const terms = await vocabulary(connection);
  return {
    name: 'DuckDB',
    ask: async (question) => {
      const { first, width, count } = bucketsOf(question);
      const rows = new Sql(terms, question).rows(question.condition);
      const statement = await connection.prepare(
        `SELECT ((second - ${first}) // ${width})::INTEGER, count(*)::INTEGER FROM (${rows}) GROUP BY 1`,
      );
      return async () => {
        const counts = new Uint32Array(count);
        const result = await statement.run();
        for (const chunk of await result.fetchAllChunks()) {
          const buckets = integers(chunk, 0);
          const posts = integers(chunk, 1);
          for (let i = 0; i < chunk.rowCount; i++) {
            counts[buckets.getItem(i)!] = posts.getItem(i)!;
          }
        }
        return counts;
      };
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
