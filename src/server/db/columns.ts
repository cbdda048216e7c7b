import type { Cell, Db, Value } from './driver.ts';

/** The values of a column: how they are stored, and how they are read. */
interface Column<T> {
  /** Null for the name of the member in snake case. */
  readonly name: string | null;
  read(cell: Cell): T;
  write(value: T): Value;
}

function columnOf<T>(read: (cell: Cell) => T, write: (value: T) => Value): Column<T> {
  return { name: null, read, write };
}

function orNull<T>({ name, read, write }: Column<T>): Column<T | null> {
  return {
    name,
    read: (cell) => (cell === null ? null : read(cell)),
    write: (value) => (value === null ? null : write(value)),
  };
}

const text = columnOf<string>(String, (value) => value);
const number = columnOf<number>(Number, (value) => value);
const exact = columnOf<bigint>(
  (cell) => cell as bigint,
  (value) => value,
);
const word = <T extends string>() => columnOf((cell) => String(cell) as T, String);
const json = <T>() => columnOf((cell) => JSON.parse(String(cell)) as T, JSON.stringify);

/** Kinds of columns, for {@link columns}. */
export const column = {
  text,
  textOrNull: orNull(text),
  number,
  numberOrNull: orNull(number),
  flag: columnOf<boolean>((cell) => Number(cell) === 1, Number),
  /** A whole number of up to 64 bits, for statements that read exact numbers. */
  exact,
  exactOrNull: orNull(exact),
  /** A decimal text that is stored as a whole number, for statements that read exact numbers. */
  decimal: columnOf<string>(String, BigInt),
  /** One of some texts. */
  word,
  wordOrNull: <T extends string>() => orNull(word<T>()),
  json,
  jsonOrNull: <T>() => orNull(json<T>()),
  /** Another kind. */
  of: columnOf,
  /** A column with a name that is not that of the member. */
  named: <T>(name: string, of: Column<T>): Column<T> => ({ ...of, name }),
};

/** A row of {@link columns}. */
export type RowOf<C extends { readonly read: (row: readonly Cell[]) => unknown }> = ReturnType<
  C['read']
>;

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * The columns of a table, in the order of its rows' members.
 *
 * @param shape - The column of each member.
 */
export function columns<R extends object>(shape: { readonly [K in keyof R]: Column<R[K]> }) {
  type Row = Readonly<R>;
  const members = Object.entries<Column<unknown>>(shape).map(([member, { name, read, write }]) => {
    return { member: member as keyof R, name: name ?? snakeCase(member), read, write };
  });
  type Member = (typeof members)[number];
  const valueOf = (row: Partial<Row>, { member, write }: Member): Value => write(row[member]);
  const names = members.map(({ name }) => name).join(', ');
  const places = members.map(() => '?').join(', ');
  /** @param row - May have further cells. */
  const read = (row: readonly Cell[]): Row => {
    const values: { [K in keyof R]?: unknown } = {};
    for (const [i, of] of members.entries()) values[of.member] = of.read(row[i] ?? null);
    return values as Row;
  };
  const values = (row: Row): Value[] => members.map((of) => valueOf(row, of));
  return {
    /** For a list of columns, and a `?` for each. */
    names,
    places,
    read,
    values,
    /**
     * Finds rows.
     *
     * @param from - The statement from the name of the table on, such as `post WHERE id = ?`.
     */
    select: (db: Db, from: string, exact?: 'exact') => {
      const statement = db.prepare(`SELECT ${names} FROM ${from}`, exact);
      return {
        get: (parameters: readonly Value[] = []): Row | undefined => {
          const row = statement.get(parameters);
          return row && read(row);
        },
        all: (parameters: readonly Value[] = []): Row[] => statement.all(parameters).map(read),
      };
    },
    /**
     * Adds a row.
     *
     * @param conflict - The action on a row that conflicts with another, such as `ON CONFLICT DO NOTHING`.
     * @returns The number of rows that were added.
     */
    insert: (db: Db, table: string, conflict = '') => {
      const statement = db.prepare(
        `INSERT INTO ${table} (${names}) VALUES (${places}) ${conflict}`,
      );
      return (row: Row): number => statement.run(values(row));
    },
    /**
     * Replaces some members of the rows that meet a condition.
     *
     * @param where - The condition, such as `id = ?`.
     * @returns The number of rows that were changed.
     */
    update: <K extends keyof R>(db: Db, table: string, some: readonly K[], where: string) => {
      const changed = some.flatMap((name) => members.find(({ member }) => member === name) ?? []);
      const assignments = changed.map(({ name }) => `${name} = ?`).join(', ');
      const statement = db.prepare(`UPDATE ${table} SET ${assignments} WHERE ${where}`);
      return (row: Pick<Row, K>, parameters: readonly Value[]): number =>
        statement.run([...changed.map((of) => valueOf(row as Partial<Row>, of)), ...parameters]);
    },
  };
}
