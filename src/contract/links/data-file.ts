/** The files of a data link. */
export const DATA_FILES = ['wide.csv', 'long.csv', 'series.json', 'chart.svg'] as const;
export type DataFile = (typeof DATA_FILES)[number];
