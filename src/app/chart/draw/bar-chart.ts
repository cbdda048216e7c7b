// Registers ECharts' bar charts: 8 kB that only a chart with bars needs.
import 'echarts/lib/chart/bar';
