// Makes data that many tests share: `sample`, or else the corpora of real posts if `GROUNDSWELL_TEST_DATA` is set.
import { CORPORA } from './support/data/corpus-part.ts';
import { madeCorpus, madeSample } from './support/run/made-data.ts';
import { realData } from './support/data/posts.ts';

const data = realData();
if (process.argv[2] === 'sample') await madeSample();
else if (data) await Promise.all(CORPORA.map((corpus) => madeCorpus(data, corpus)));
